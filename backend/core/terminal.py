"""Terminal output of commands: progress bars and the check for a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress


def is_terminal() -> bool:
    """Return True if the command can ask a person for input."""
    return sys.stdin.isatty() and sys.stderr.isatty()


@contextmanager
def show_progress(total: int | None, title: str) -> Iterator[Callable[[int], None]]:
    """Show a progress bar; yield a function that advances it by a number of steps. Without a terminal nothing is shown.

    If text is printed to the terminal in the meantime, it appears above the bar. Text that is printed to a file is
    not changed.
    """
    if not sys.stderr.isatty():
        yield lambda _steps: None
        return
    with Progress(
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=sys.stdout.isatty(),
        redirect_stderr=False,
    ) as bar:
        task = bar.add_task(title, total=total)
        yield lambda steps: bar.advance(task, steps)
