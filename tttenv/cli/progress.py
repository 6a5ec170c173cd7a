"""Progress bars on standard error, which also show compilation."""

import sys
from typing import Any


def display(*columns: Any, quiet: bool = False, transient: bool = False) -> Any:
    """Return a `rich.progress.Progress` on standard error."""
    from rich.console import Console
    from rich.progress import Progress

    return Progress(
        *(columns or Progress.get_default_columns()),
        _compiling(),
        console=Console(stderr=True),
        transient=transient,
        redirect_stdout=sys.stdout.isatty(),  # else redirected output would appear on the screen
        disable=quiet,
    )


def _compiling() -> Any:
    """Return a column that shows the progress of compilation."""
    from rich.progress import ProgressColumn
    from rich.text import Text

    class Compiling(ProgressColumn):
        max_refresh = 0.1

        def render(self, _: Any) -> Text:
            compile_time = sys.modules.get("tttenv.utils.compile_time")  # loading it takes long
            return Text(compile_time.watch.progress if compile_time else "", style="cyan")

    return Compiling()
