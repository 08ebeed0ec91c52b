"""What commands show on a terminal while something takes long."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress


def is_terminal() -> bool:
    """Whether somebody can be asked something."""
    return sys.stdin.isatty() and sys.stderr.isatty()


@contextmanager
def progress(total: int | None, title: str) -> Iterator[Callable[[int], None]]:
    """A progress bar; the function that is given moves it on by a number of steps. Without a terminal nothing is shown.

    What is printed meanwhile stands above the bar when it goes to a terminal too, and is left as it is when it goes
    to a file.
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
