"""Import layers and heavy libraries, read from the code's AST."""

import ast
import re
import subprocess
import sys
from fnmatch import fnmatchcase
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import tttenv

ROOT = Path(tttenv.__file__).parent.parent

# The rooms, each with the modules it holds; a room imports from those above it only.
ROOMS = {
    "utils": "tttenv.utils tttenv.utils.*",
    "parallel": "tttenv.parallel tttenv.parallel.*",
    "game": "tttenv.game tttenv.game.*",
    "drawing": "tttenv.drawing tttenv.drawing.*",
    "policy": "tttenv.networks tttenv.policy",
    "exact": "tttenv.exact tttenv.exact.*",
    "reach": "tttenv.reach tttenv.reach.*",
    "proofs": "tttenv.proofs tttenv.proofs.*",
    "players": "tttenv.players tttenv.players.* tttenv.text",
    "env": "tttenv tttenv.env tttenv.env.*",
    "certificates": "tttenv.certificates tttenv.certificates.*",
    "league": "tttenv.league tttenv.league.*",
    "testing": "tttenv.testing tttenv.testing.*",
    "report": "tttenv.report tttenv.report.*",
    "commands": "tttenv.cli tttenv.cli.* tttenv.__main__",
    "learners": "learners learners.*",
    "scripts": "scripts scripts.*",
}
ADAPTERS = "tttenv.adapters*"  # outside the rooms: loaded by name only
CORE = ("utils", "game", "policy", "exact", "reach", "env", "certificates")
DOORS = {  # what the core imports from outside it, by room
    "env": "players players.language.prompts drawing.render drawing.window",
    "certificates": "players.as_player players.stored.checkpoint proofs.prover proofs.move_values",
}
BY_NAME = {  # what a room may load from below by a string, where a user asks for it
    "players": "learners.training.checkpoint",  # a network's player, from its weights
    "report": "learners.registry learners.training.checkpoint",
    "commands": "learners.cli.*",
}
NAMED = re.compile(r"((?:tttenv|learners|scripts)(?:\.\w+)+)(?::\w+)?")
LEARNING = f"{ADAPTERS} learners.* scripts.*"
COMMANDS = "tttenv.cli.* learners.cli.* learners.examples.* scripts.*"
LIBRARIES = {  # who may import what
    "numba": "tttenv.utils.comp* tttenv.utils.struct *_kernel",
    "gymnasium": f"tttenv tttenv.env.* tttenv.testing.* tttenv.cli.doctor {LEARNING}",
    **dict.fromkeys(["torch", "tensorboard", "stable_baselines3", "sb3_contrib"], LEARNING),
    **dict.fromkeys(["tyro", "rich"], COMMANDS),
    "pygame": "tttenv.drawing.window",
    "openai": "tttenv.players.language.llm",
    "onnxruntime": "tttenv.players.stored.onnx",
    "huggingface_hub": "tttenv.players.stored.hub",
    "wandb": "learners.training.wandb_log",
    "mlflow": "learners.training.mlflow_log",
    "ray": f"tttenv.parallel.ray_cluster {ADAPTERS}",
    **dict.fromkeys(["socket", "ssl", "http", "ftplib", "smtplib"], "nobody"),
    **dict.fromkeys(["requests", "httpx", "httpx2", "aiohttp", "urllib3"], "nobody"),
    **dict.fromkeys(["pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"], "nobody"),
}


def name_of(file):
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {
    name_of(file): file
    for folder in ("tttenv", "learners", "scripts")
    for file in sorted((ROOT / folder).rglob("*.py"))
}


def within(module, patterns):
    return any(fnmatchcase(module, pattern) for pattern in patterns.split())


def room(module):
    """Return the number and the name of the room that contains a module."""
    for number, (name, modules) in enumerate(ROOMS.items()):
        if within(module, modules):
            return number, name
    raise AssertionError(f"{module} is in no room: add it to ROOMS in {Path(__file__).name}")


def statements(node, hints=False):
    """Yield every node that runs, lazily or not; with `hints` also those under TYPE_CHECKING."""
    if not hints and isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        below = node.orelse
    else:
        yield node
        below = ast.iter_child_nodes(node)
    for child in below:
        yield from statements(child, hints)


@cache
def tree(module):
    return ast.parse(FILES[module].read_text(encoding="utf-8"))


@cache
def imported(module, hints=False):
    """Return the modules that a module imports: ours by their full name, others as written."""
    return imports(tree(module), module, FILES[module].name == "__init__.py", hints)


@cache
def named(module):
    """Return our modules named in a module's strings, as "module" or "module:attribute"."""
    texts = [node.value for node in statements(tree(module)) if isinstance(node, ast.Constant)]
    found = [NAMED.fullmatch(text) for text in texts if isinstance(text, str)]
    return {match[1] for match in found if match} & FILES.keys()


def imports(code, module, is_package, hints=False):
    found = set()
    for node in statements(code, hints):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = module.split(".")[: None if is_package else -1]
            above = above[: len(above) - node.level + 1] if node.level else []
            home = ".".join([*above, *([node.module] if node.module else [])])
            found |= {target(home, alias.name) for alias in node.names}
    return frozenset(found)


def target(home, name):
    """Return the module loaded by `from home import name`: of that name, or else its home."""
    if f"{home}.{name}" in FILES:
        return f"{home}.{name}"
    return tttenv._HOMES.get(name, home) if home == "tttenv" else home


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (
            "from tttenv import policy, certify",
            {"tttenv.policy", "tttenv.certificates.certificate"},
        ),
        ("from tttenv.players import player", {"tttenv.players"}),
        ("from . import baselines\nfrom .. import env", {"tttenv.players.baselines", "tttenv.env"}),
        ("def play():\n    import tttenv.env", {"tttenv.env"}),
        ("if TYPE_CHECKING:\n    import torch\nelse:\n    import numpy", {"numpy"}),
        ("try:\n    import rich.table\nfinally:\n    pass", {"rich.table"}),
    ],
)
def test_the_reader_of_imports_finds_them_wherever_they_stand(code, expected):
    assert imports(ast.parse(code), "tttenv.players.baselines", is_package=False) == expected


IN_ROOMS = [module for module in FILES if not within(module, ADAPTERS)]


def test_imports_never_go_up_and_adapters_are_loaded_by_name():
    assert not {
        f"{module} in {room(module)} imports {name}"
        for module in set(IN_ROOMS) - {"tttenv"}
        for name in imported(module) & FILES.keys() - {"tttenv"}
        if within(name, ADAPTERS) or room(name) > room(module)
    }


def test_the_core_imports_nothing_from_outside_but_through_its_doors():
    found = {name: set() for name in DOORS}
    for module in set(IN_ROOMS) - {"tttenv"}:
        if (home := room(module)[1]) in CORE:
            outside = {
                name.removeprefix("tttenv.")
                for name in imported(module) & FILES.keys() - {"tttenv"}
                if room(name)[1] not in CORE
            }
            found.setdefault(home, set()).update(outside)
    assert {home: names for home, names in found.items() if names} == {
        home: set(names.split()) for home, names in DOORS.items()
    }


def test_strings_name_no_module_from_another_room_but_by_its_row():
    assert not {
        f"{module} in {room(module)} names {name}"
        for module in set(IN_ROOMS) - {"tttenv"}
        for name in named(module)
        if not within(name, f"{ADAPTERS} {BY_NAME.get(room(module)[1], '')}")
        and room(name) > room(module)
    }


def test_what_may_be_named_from_below_is_named():
    for home, allowed in BY_NAME.items():
        names = {name for module in IN_ROOMS if room(module)[1] == home for name in named(module)}
        assert any(within(name, allowed) for name in names), home


def test_scripts_import_one_another_by_their_full_names():
    bare = {path.stem for path in (ROOT / "scripts").iterdir()} - {"__init__", "__pycache__"}
    for module in FILES:
        top = {name.partition(".")[0] for name in imported(module)}
        assert not top & bare, module


TYRO = (
    "tttenv.cli.console tttenv.cli.options tttenv.cli.workers"
    " learners.cli.train learners.examples.*"
)


def at_once(module):
    """Return the libraries that a module loads when it is imported."""
    found = [node for node in tree(module).body if isinstance(node, ast.Import | ast.ImportFrom)]
    code = ast.Module(body=found, type_ignores=[])
    return {name.partition(".")[0] for name in imports(code, module, False)}


def test_rich_is_loaded_where_it_is_needed_only_and_tyro_by_the_commands_words():
    assert not [module for module in FILES if "rich" in at_once(module)]
    assert not [
        module for module in FILES if "tyro" in at_once(module) and not within(module, TYRO)
    ]


def test_no_imports_go_round_in_a_circle_those_of_type_hints_included():
    graph = {
        module: imported(module, hints=True) & FILES.keys() - {"tttenv"}
        for module in FILES.keys() - {"tttenv"}
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"imports go round: {' <- '.join(error.args[1])}")


def test_libraries_are_imported_only_where_they_belong():
    assert not {
        f"{module} imports {name}"
        for module in FILES
        for name in imported(module)
        if not within(module, LIBRARIES.get(name.partition(".")[0], module))
    }


def test_nothing_is_unpickled_or_evaluated():
    refused = {"eval", "exec", "compile", "__import__", "torch.load"}
    assert not {
        f"{module}, line {node.lineno}: {ast.unparse(node)}"
        for module in FILES
        for node in ast.walk(tree(module))
        if isinstance(node, ast.Call)
        and (
            ast.unparse(node.func) in refused
            or any(
                keyword.arg == "allow_pickle" and ast.unparse(keyword.value) != "False"
                for keyword in node.keywords
            )
        )
    }


def test_nothing_is_named_told():
    assert not {
        f"{module}, line {node.lineno}"
        for module in FILES
        for node in ast.walk(tree(module))
        if "told" in [getattr(node, kind, "") for kind in ("id", "arg", "name", "attr")]
    }


def modules_loaded_by(statement):
    script = f"import sys\n{statement}\nprint(*sys.modules)"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def loaded_by(statement):
    return {name.partition(".")[0] for name in modules_loaded_by(statement)}


def test_importing_tttenv_loads_neither_torch_nor_numba():
    assert not loaded_by("import tttenv") & {"torch", "numba", "stable_baselines3", "rich"}


def test_playing_and_certifying_loads_no_torch():
    play = "import tttenv; tttenv.certify(tttenv.Rules(2, 2, 2), tttenv.player('random'))"
    loaded = loaded_by(play.replace("'random'", "'random', tttenv.Rules(2, 2, 2)"))
    assert "numba" in loaded
    assert not loaded & {"torch", "stable_baselines3", "rich"}


def test_certifying_a_player_on_a_larger_board_loads_66_modules_of_ours_at_most():
    command = ["tttenv", "certify", "tactical", "--rules", "5,5,4"]
    statement = f"from tttenv.cli.main import main\nsys.argv = {command}\nmain()"
    names = modules_loaded_by(statement)
    loaded = {name for name in names if name.partition(".")[0] == "tttenv"}
    assert len(loaded) <= 66, sorted(loaded)
