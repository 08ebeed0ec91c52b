"""The procedure as a command: its two modes, what it prints, and a bar where it takes long."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import Progress

from backend.catalog.assignment.admin_api import AdminApi
from backend.catalog.assignment.data import AssignmentData
from backend.catalog.assignment.procedure import NoHands, number_of_actions, walk

LONG_PLAN = 10
"""From this many steps on, a bar shows how far it is."""


class Bar(Protocol):
    """Shows how far it is."""

    def __call__(self) -> None:
        """One more step is done."""


async def dry_run(data: AssignmentData, api: AdminApi) -> None:
    """Print the plan as JSON, and that nothing of it was run (spec: Catalog-assignment procedure 7)."""
    plan = []
    with progress(number_of_actions(data), "Planning") as step:
        async for action in walk(data, api, NoHands()):
            plan.append(action.as_json())
            step()
    print(json.dumps(plan, ensure_ascii=False, indent=2))
    print(f"{len(plan)} actions planned, none was run.")


async def apply(data: AssignmentData, api: AdminApi) -> None:
    """Do it, and print one line per step."""
    count = 0
    with progress(number_of_actions(data), "Assigning") as step:
        async for action in walk(data, api, api):
            print(action.as_line(), flush=True)
            count += 1
            step()
    print(f"{count} actions run.")


@contextmanager
def progress(total: int, title: str) -> Iterator[Bar]:
    """A bar on the terminal while something long runs; nothing where nobody watches."""
    if total < LONG_PLAN or not sys.stderr.isatty():
        yield lambda: None
        return
    # beside the bar, lines for a terminal are printed above it; lines for a file go there as they are
    with Progress(
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=sys.stdout.isatty(),
        redirect_stderr=False,
    ) as bar:
        task = bar.add_task(title, total=total)
        yield lambda: bar.advance(task)
