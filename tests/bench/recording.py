"""The SQL that the shop runs for a request, recorded from the shop to be replayed without it."""

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
from tests.bench.load import HEAD_END
from tests.bench.purchase import buy

Statement = tuple[str, Any]


@dataclass
class StatementGroup:
    """The statements of one transaction, or of one session that only reads."""

    writes: bool = False
    statements: list[Statement] = field(default_factory=list)


@dataclass
class Recording:
    """The statements of every recorded request.

    Attributes:
        reads: for each name, the statement groups of each of its GET requests.
        purchase: the statement groups of each request of one purchase.
    """

    database_url: str
    born: str
    """Ids whose ULID sorts after this one were created during the recording; a replay replaces them."""
    reads: dict[str, list[list[StatementGroup]]] = field(default_factory=dict)
    purchase: list[list[StatementGroup]] = field(default_factory=list)

    def save(self, file: Path) -> None:
        """Write the recording to a file for another process."""
        file.write_bytes(pickle.dumps(self))


@contextmanager
def _record_statements(shop: Shop) -> Iterator[list[StatementGroup]]:
    """Record the statements of the shop's engine, grouped by transaction or by session that only reads."""
    groups: list[StatementGroup] = [StatementGroup()]
    engine = shop.database.engine.sync_engine

    def add_statement(
        _c: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, many: bool
    ) -> None:
        groups[-1].statements.extend((statement, row) for row in (parameters if many else [parameters]))

    def end_transaction(_connection: Any) -> None:
        groups[-1].writes = True
        groups.append(StatementGroup())

    def end_session(_connection: Any) -> None:
        groups.append(StatementGroup())

    listeners = (
        ("before_cursor_execute", add_statement),
        ("commit", end_transaction),
        ("rollback", end_session),
    )
    for name, listener in listeners:
        event.listen(engine, name, listener)
    yield groups
    for name, listener in listeners:
        event.remove(engine, name, listener)


async def record(
    settings: Settings, headers: dict[str, str], reads: dict[str, list[str]], variant_id: str
) -> Recording:
    """Record the statements of a GET request to each address and of one purchase."""
    shop = Shop(settings)
    recording = Recording(settings.async_database_url, new_id("").strip("_"))
    transport = httpx.ASGITransport(create_api(shop))
    request_headers = {**headers, "content-type": "application/json"}
    async with httpx.AsyncClient(
        transport=transport, base_url="http://shop.test", headers=request_headers
    ) as client:

        async def record_request(
            method: str, path: str, body: bytes = b""
        ) -> tuple[list[StatementGroup], Any]:
            with _record_statements(shop) as groups:
                answer = await client.request(method, path, content=body)
            answer.raise_for_status()
            return [group for group in groups if group.statements], answer.json()

        async def send(request: bytes) -> Any:
            head, _, body = request.partition(HEAD_END)
            method, path, _ = head.split(b" ", 2)
            groups, answer = await record_request(method.decode(), path.decode(), body)
            recording.purchase.append(groups)
            return answer

        for name, addresses in reads.items():
            recording.reads[name] = [(await record_request("GET", address))[0] for address in addresses]
        await asyncio.sleep(0.002)  # the ids of the next millisecond sort after `born`
        await buy(send, headers, variant_id)
    await shop.stop()
    return recording
