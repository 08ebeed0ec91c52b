"""Unknown addresses that people visit: counted in memory, and stored in batches in a bounded table.

Only addresses that may have been a product or a category of a former shop are stored, without personal data: only
with the parameters in `KEPT_PARAMETERS`, and not with words that look like an e-mail address or a token. Addresses
that only scanners request are left out. There is only one transaction in `FLUSH_INTERVAL_S`, however many requests
arrive.
"""

import asyncio
import logging
import re
from collections import Counter
from contextlib import suppress

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.redirects.addresses import PAGE_ENDINGS, RESERVED_SEGMENTS, OldAddress
from backend.catalog.redirects.models import UnknownAddress
from backend.core.clock import now
from backend.core.db.database import Database
from backend.core.db.tables import insert_into, table_of
from backend.core.ids import new_id
from backend.core.outage import DatabaseUnavailable
from backend.rate_limit.limiter import network_of, take_turns

log = logging.getLogger(__name__)

MAX_ROWS = 500
"""Maximum number of stored addresses: those with the most visits, and among them the latest."""
FLUSH_INTERVAL_S = 10.0
MAX_PENDING = 100
"""Maximum number of different addresses in one batch."""
MAX_PENDING_PER_NETWORK = 10
"""Maximum number of different addresses in one batch that one client network adds."""
MAX_COUNTED_VISITS = 20
"""Maximum number of visits of one address in one batch that one client network adds."""
MAX_LENGTH = 200
MAX_SEGMENTS = 8
KEPT_PARAMETERS = frozenset(
    {
        "c", "cat", "categoria", "category", "category_id", "codigo", "controller", "id", "id_category", "id_product",
        "idproducto", "item", "itemid", "option", "p", "page_id", "path", "post_type", "product", "product_cat",
        "product_id", "producto", "ref", "referencia", "route", "sku", "task", "view",
    }
)  # fmt: skip
"""Parameters by which shops identify a product or a category. All others are dropped."""
PERSONAL_SEGMENTS = frozenset(
    {
        "account", "cart", "checkout", "cuenta", "customer", "customers", "my-account", "mi-cuenta", "micuenta",
        "notify", "order", "orders", "pay", "pedido", "pedidos", "pqrs", "review", "unsubscribe", "user", "users",
        "usuario",
    }
)  # fmt: skip
"""Segments of addresses that belong to one person."""
SCANNED_ENDINGS = PAGE_ENDINGS - {"html", "htm", "xhtml"}
"""File extensions of addresses that count only if they have one of `KEPT_PARAMETERS`.

Scanners request many addresses with these extensions, but without such parameters.
"""
_SCANNED = re.compile(
    r"/(?:wp-|wordpress|\.|cgi-bin|vendor/|phpmyadmin|pma\b|boaform|autodiscover|actuator|solr|owa\b|console\b|manager/"
    r"|_profiler|_ignition|telescope|debug|server-status|backup|config\b|phpunit|xmlrpc|ecp\b|remote/|login\b|signin\b)"
)
_TOKEN = re.compile(
    r"(?=[a-z0-9_]*[0-9])(?=[a-z0-9_]*[a-z])[a-z0-9_]{20,}|[0-9]{14,}|[0-9a-f]{8}-[0-9a-f]{4}-"
)
"""Words that may grant access or identify a person."""
_VALUE = re.compile(r"[\w./-]{1,60}")
_BOT = re.compile(r"bot\b|crawl|spider|slurp", re.IGNORECASE)


class UnknownAddresses:
    """Counter of the unknown addresses that visitors of this process request."""

    def __init__(self, database: Database, interval_s: float = FLUSH_INTERVAL_S) -> None:
        self._database = database
        self._interval_s = interval_s
        self._visits: Counter[str] = Counter()
        self._visits_by_network: dict[str, Counter[str]] = {}
        self._flushing: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()

    def count_visit(self, address: OldAddress, ip: str, user_agent: str = "") -> None:
        """Count a visit to an address without a page or a redirect; skip bots. It is stored later."""
        kept = select_kept_address(address)
        if kept is None or _BOT.search(user_agent):
            return
        text, network = str(kept), network_of(ip)
        if not self._may_count(text, network):
            return
        self._visits[text] += 1
        self._visits_by_network.setdefault(network, Counter())[text] += 1
        if self._flushing is None or self._flushing.done():
            self._flushing = asyncio.create_task(self._flush_until_empty())

    async def start(self) -> None:
        """Do nothing: the first visit starts the task that stores the visits."""

    async def stop(self) -> None:
        """Store the counted visits."""
        self._stopping.set()
        if self._flushing is not None:
            await self._flushing

    async def flush(self) -> None:
        """Store the counted visits. They are lost if they cannot be stored."""
        visits = self._visits
        self._visits, self._visits_by_network = Counter(), {}
        if not visits:
            return
        try:
            async with self._database.transaction() as session:
                await store_visits(session, visits)
        except DatabaseUnavailable:
            pass  # the outage is logged once
        except Exception:
            log.exception("visits of unknown addresses were not stored")

    def _may_count(self, text: str, network: str) -> bool:
        of_network = self._visits_by_network.get(network, Counter())
        if text in of_network:
            return of_network[text] < MAX_COUNTED_VISITS
        has_room = text in self._visits or len(self._visits) < MAX_PENDING
        return has_room and len(of_network) < MAX_PENDING_PER_NETWORK

    async def _flush_until_empty(self) -> None:
        while self._visits:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), self._interval_s)
            await self.flush()


def select_kept_address(address: OldAddress) -> OldAddress | None:
    """Return the address with only the parameters that may be stored; None if the address must not be stored."""
    kept = OldAddress(
        address.path,
        tuple(pair for pair in address.parameters if pair[0] in KEPT_PARAMETERS and _is_plain(pair[1])),
    )
    return kept if kept != OldAddress("/") and _is_page(kept) else None


def _is_plain(value: str) -> bool:
    return bool(_VALUE.fullmatch(value)) and not _TOKEN.search(value)


def _is_page(address: OldAddress) -> bool:
    """Return True if the address may have been a public page of a shop."""
    path = address.path
    ending = path.rpartition("/")[2].rpartition(".")
    if ending[1] and ending[2] not in PAGE_ENDINGS:
        return False  # a file
    if ending[1] and ending[2] in SCANNED_ENDINGS and not address.parameters:
        return False
    return not (
        len(str(address)) > MAX_LENGTH
        or path.count("/") > MAX_SEGMENTS
        or address.first_segment in RESERVED_SEGMENTS
        or not PERSONAL_SEGMENTS.isdisjoint(path.split("/"))
        or "@" in path
        or "%" in path
        or _SCANNED.search(path)
        or _TOKEN.search(path)
    )


async def store_visits(session: AsyncSession, visits: Counter[str]) -> None:
    """Add visits to the stored addresses, and delete the least visited beyond `MAX_ROWS`."""
    await take_turns(session, "unknown addresses")  # two writers would delete each other's rows
    table = table_of(UnknownAddress)
    moment = now()
    new = insert_into(table)
    statement = new.on_conflict_do_update(
        index_elements=["former_address"],
        set_={
            "visits": table.c.visits + new.excluded.visits,
            "seen_at": new.excluded.seen_at,
            "updated_at": new.excluded.updated_at,
        },
    )
    stamps = {"created_at": moment, "updated_at": moment, "seen_at": moment, "is_dismissed": False}
    rows = [
        {"id": new_id("unk"), "former_address": address, "visits": count, **stamps}
        for address, count in sorted(visits.items())
    ]
    await session.execute(statement, rows)
    most_visited = select(table.c.id).order_by(table.c.visits.desc(), table.c.seen_at.desc(), table.c.id)
    await session.execute(delete(table).where(table.c.id.not_in(most_visited.limit(MAX_ROWS))))
