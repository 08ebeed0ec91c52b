"""The banks a shopper can pay from: the gateway's list, asked for once a day at most and kept for when it fails.

The gateway's list begins with a placeholder, code `0`, whose text is mis-decoded; it is never offered (spec: Storefront
view rules 3). It is dropped by its code, as it does not always stand first (wire: gateway 1.3).
"""

import logging
import unicodedata
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from backend.core.caching.single_flight import SingleFlight
from backend.core.config.modules import GATEWAY_PSE
from backend.core.db.database import Database
from backend.core.db.tables import insert_into
from backend.core.errors import OutsideFailure
from backend.core.texts import _
from backend.payment.models import BankList
from backend.payment.providers.pse.client import GatewayClient
from backend.payment.providers.pse.requests import Bank

log = logging.getLogger(__name__)

PLACEHOLDER_CODE = "0"

FRESH_FOR = timedelta(days=1)
"""The list is fetched once a day at most (wire: checkout, bank list)."""
RETRY_AFTER = timedelta(minutes=5)
"""A gateway that failed is left alone this long while there is a list to offer."""
RETRY_AFTER_WITHOUT_LIST = timedelta(seconds=15)
"""Without any list nobody can pay, so the gateway is asked again soon; yet not by every shopper."""

_fetches = SingleFlight[tuple[Database, str], BankList]()
"""One fetch at a time in this process; another replica may fetch at the same time, which does no harm."""


class BankListUnavailable(OutsideFailure):
    """The gateway gave no list of banks, and never has."""

    shopper_text = _("No se pudo obtener la lista de entidades financieras, por favor intente más tarde.")

    def __init__(self) -> None:
        super().__init__("The gateway gives no list of banks, and there is no earlier one")


async def offered_banks(database: Database, client: GatewayClient, *, now: datetime) -> list[Bank]:
    """The banks on offer, in alphabetical order, without the placeholder. No transaction is open while it asks.

    Raises:
        BankListUnavailable: there is no list, not even an old one.
    """
    stored = await _stored(database, client)
    if stored is None or _is_due(stored, now):
        stored = await _fetches.share((database, client.source), lambda: _refreshed(database, client, now))
    return _banks_of(stored)


async def _refreshed(database: Database, client: GatewayClient, now: datetime) -> BankList:
    """The list, fetched unless somebody else has done so by now."""
    stored = await _stored(database, client)
    if stored is None or _is_due(stored, now):
        return await _fetch(database, client, stored, now)
    return stored


async def _stored(database: Database, client: GatewayClient) -> BankList | None:
    """What is kept; nothing when it came from another gateway."""
    async with database.read() as session:
        kept = await session.get(BankList, GATEWAY_PSE)
    return kept if kept is not None and kept.source == client.source else None


def _is_due(stored: BankList, now: datetime) -> bool:
    if stored.fetched_at is None:
        return now - stored.tried_at >= RETRY_AFTER_WITHOUT_LIST
    return now - stored.fetched_at >= FRESH_FOR and now - stored.tried_at >= RETRY_AFTER


async def _fetch(
    database: Database, client: GatewayClient, stored: BankList | None, now: datetime
) -> BankList:
    """Ask the gateway and store its list, or that it failed."""
    kept = BankList(
        provider_id=GATEWAY_PSE,
        source=client.source,
        banks=stored.banks if stored else [],
        fetched_at=stored.fetched_at if stored else None,
        tried_at=now,
    )
    try:
        banks = _without_placeholder(await client.get_banks())
    except OutsideFailure as error:
        log.warning("the bank list could not be fetched: %s", error.message)
    else:
        if banks:
            kept.banks, kept.fetched_at = [asdict(bank) for bank in banks], now
        else:
            log.warning("the gateway's bank list holds no bank")
    await _store(database, kept)
    return kept


async def _store(database: Database, kept: BankList) -> None:
    row: dict[str, Any] = kept.model_dump()
    changed = {name: row[name] for name in ("source", "banks", "fetched_at", "tried_at", "updated_at")}
    async with database.transaction() as session:
        await session.execute(
            insert_into(BankList)
            .values(row)
            .on_conflict_do_update(index_elements=["provider_id"], set_=changed)
        )


def _banks_of(stored: BankList) -> list[Bank]:
    if not stored.banks:
        raise BankListUnavailable
    return [Bank(code=bank["code"], name=bank["name"]) for bank in stored.banks]


def _without_placeholder(rows: list[Bank]) -> list[Bank]:
    """The banks of the list: each code once, no placeholder, in alphabetical order."""
    by_code = {bank.code: bank for bank in rows if bank.code and bank.name and bank.code != PLACEHOLDER_CODE}
    return sorted(by_code.values(), key=lambda bank: (_spanish(bank.name), bank.code))


def _spanish(name: str) -> str:
    """A key that sorts as Spanish does: accents and case count for nothing, ñ comes after n."""
    marked = unicodedata.normalize("NFC", name.casefold()).replace("ñ", "n\N{LATIN SMALL LETTER ETH}")
    return "".join(c for c in unicodedata.normalize("NFKD", marked) if not unicodedata.combining(c))
