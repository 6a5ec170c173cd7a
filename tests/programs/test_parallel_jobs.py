"""Same results, bit for bit, with any number of processes; for Ray see tests/ray_cluster."""

import pytest

from tests.parallel_jobs import JOBS, WORKERS, results_of


@pytest.mark.parametrize("job", JOBS)
def test_results_are_the_same_with_any_number_of_processes(job, tmp_path, monkeypatch, capsys):
    found = []
    for workers in WORKERS:
        (folder := tmp_path / str(workers)).mkdir()
        monkeypatch.chdir(folder)
        found.append(results_of(job, ["--jobs", str(workers)], capsys))
    assert found[0] == found[1]
