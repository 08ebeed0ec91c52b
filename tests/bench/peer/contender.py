"""The interface of both sides of the comparison: a running server, and the values that requests to it need."""

import subprocess
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Contender:
    """The values that requests to one side need."""

    name: str
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
    """One side of the comparison."""

    name: str

    async def prepare(self) -> Contender:
        """Create its database and everything else that it needs."""
        ...

    def start(self) -> AbstractAsyncContextManager[RunningServer]:
        """Run its server until the block ends."""
        ...

    async def finish_checkouts(self) -> None:
        """Wait until the work that checkouts leave behind is done."""
        ...
