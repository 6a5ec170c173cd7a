"""Independent tasks on many workers: processes of this machine, or a Ray cluster.

A task is a function of a module and its arguments. Its result depends on nothing else, so that it
is the same wherever and beside whatever it ran, and it may be run again after a loss.
"""

from tttenv.parallel.executor import Backend, News, TaskResult, run
from tttenv.parallel.results_folder import ResultsFolder
from tttenv.parallel.tasks import Context, Shared, Task

__all__ = ["Backend", "Context", "News", "ResultsFolder", "Shared", "Task", "TaskResult", "run"]
