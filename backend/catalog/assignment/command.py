"""The procedure as a command: its two modes, what it prints, and a bar where it takes long."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from backend.catalog.assignment.admin_api import AdminApi
from backend.catalog.assignment.data import AssignmentData
from backend.catalog.assignment.procedure import NoHands, number_of_actions, walk
from backend.terminal import progress

LONG_PLAN = 10
"""From this many steps on, a bar shows how far it is."""


async def dry_run(data: AssignmentData, api: AdminApi) -> None:
    """Print the plan as JSON, and that nothing of it was run (spec: Catalog-assignment procedure 7)."""
    plan = []
    with _progress(number_of_actions(data), "Planning") as step:
        async for action in walk(data, api, NoHands()):
            plan.append(action.as_json())
            step(1)
    print(json.dumps(plan, ensure_ascii=False, indent=2))
    print(f"{len(plan)} actions planned, none was run.")


async def apply(data: AssignmentData, api: AdminApi) -> None:
    """Do it, and print one line per step."""
    count = 0
    with _progress(number_of_actions(data), "Assigning") as step:
        async for action in walk(data, api, api):
            print(action.as_line(), flush=True)
            count += 1
            step(1)
    print(f"{count} actions run.")


def _progress(steps: int, title: str) -> AbstractContextManager[Callable[[int], None]]:
    """A bar for a long plan."""
    return progress(steps, title) if steps >= LONG_PLAN else nullcontext(lambda _steps: None)
