"""Which SQL the shop runs for a request: recorded from the shop itself, to be run again without it."""

import asyncio
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import event

from backend.app import Shop, create_api
from backend.core.config.settings import Settings
from backend.core.ids import new_id
from tests.bench.load import HEAD_ENDS
from tests.bench.purchase import buy

Statement = tuple[str, Any]


@dataclass
class Stretch:
    """Statements in one transaction, or the ones of one reading session."""

    writes: bool = False
    statements: list[Statement] = field(default_factory=list)


@dataclass
class Recording:
    """The stretches of every recorded request, by the names of what was done."""

    database_url: str
    born: str
    """Ids whose ULID sorts after this one were made while recording: a replay makes new ones of them."""
    reads: dict[str, list[list[Stretch]]] = field(default_factory=dict)
    purchase: list[list[Stretch]] = field(default_factory=list)

    def save(self, file: Path) -> None:
        """Write it down for another process."""
        file.write_bytes(pickle.dumps(self))


@contextmanager
def _heard(shop: Shop) -> Iterator[list[Stretch]]:
    """Everything the shop's engine is asked."""
    stretches: list[Stretch] = [Stretch()]
    engine = shop.database.engine.sync_engine

    def say(_c: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, many: bool) -> None:
        stretches[-1].statements.extend((statement, row) for row in (parameters if many else [parameters]))

    def committed(_connection: Any) -> None:
        stretches[-1].writes = True
        stretches.append(Stretch())

    def left(_connection: Any) -> None:
        stretches.append(Stretch())

    listeners = (("before_cursor_execute", say), ("commit", committed), ("rollback", left))
    for name, listener in listeners:
        event.listen(engine, name, listener)
    yield stretches
    for name, listener in listeners:
        event.remove(engine, name, listener)


async def record(
    settings: Settings, headers: dict[str, str], reads: dict[str, list[str]], variant_id: str
) -> Recording:
    """Have a shop of this very process answer each address once, and sell one toy."""
    shop = Shop(settings)
    recording = Recording(settings.async_database_url, new_id("").strip("_"))
    transport = httpx.ASGITransport(create_api(shop))
    told = {**headers, "content-type": "application/json"}
    async with httpx.AsyncClient(transport=transport, base_url="http://shop.test", headers=told) as client:

        async def heard(method: str, path: str, body: bytes = b"") -> tuple[list[Stretch], Any]:
            with _heard(shop) as stretches:
                answer = await client.request(method, path, content=body)
            answer.raise_for_status()
            return [stretch for stretch in stretches if stretch.statements], answer.json()

        async def send(request: bytes) -> Any:
            head, _, body = request.partition(HEAD_ENDS)
            method, path, _ = head.split(b" ", 2)
            stretches, answer = await heard(method.decode(), path.decode(), body)
            recording.purchase.append(stretches)
            return answer

        for name, addresses in reads.items():
            recording.reads[name] = [(await heard("GET", address))[0] for address in addresses]
        await asyncio.sleep(0.002)  # the ids of the next millisecond sort after `born`
        await buy(send, headers, variant_id)
    await shop.stop()
    return recording
