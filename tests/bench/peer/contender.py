"""The interface of both sides of the comparison, the shop and the platform."""

import subprocess
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Contender:
    """Keys, ids and words that the load generator needs for its requests to the shop or to the platform."""

    publishable_key: str
    region_id: str
    variant_ids: Sequence[str]
    words: Sequence[str]
    handles: Sequence[str]


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A running server, and the seconds from its start until it was healthy."""

    process: subprocess.Popen[bytes]
    port: int
    start_seconds: float


class Side(Protocol):
    """The shop or the platform, as a side of the comparison."""

    name: str

    async def prepare(self) -> Contender:
        """Create the database and everything else that the server needs."""
        ...

    def start(self) -> AbstractAsyncContextManager[RunningServer]:
        """Run the server until the block ends."""
        ...

    async def finish_checkouts(self) -> None:
        """Wait until the work that runs after checkouts, such as sending mails, is finished."""
        ...
