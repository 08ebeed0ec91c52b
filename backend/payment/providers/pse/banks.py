"""The banks from which a shopper can pay.

The gateway's list is fetched at most once a day, and stored in case it fails.

The gateway's list has a placeholder, code `0`, whose text is badly decoded; it is never offered (spec: Storefront
view rules 3). It is removed by its code, as it is not always the first row (wire: gateway 1.3).
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

MAX_LIST_AGE = timedelta(days=1)
"""The list is fetched at most once a day (wire: checkout, bank list)."""
RETRY_INTERVAL = timedelta(minutes=5)
"""Time between two fetches from a failing gateway while a stored list can be offered."""
RETRY_INTERVAL_WITHOUT_LIST = timedelta(seconds=15)
"""Time between two fetches while there is no list. It is short, as no shopper can pay without one."""

_fetches = SingleFlight[tuple[Database, str], BankList]()
"""Allows one fetch at a time in this process. Another replica may fetch at the same time, which is harmless."""


class BankListUnavailable(OutsideFailure):
    """The gateway returned no list of banks, and no earlier list is stored."""

    shopper_text = _("No se pudo obtener la lista de entidades financieras, por favor intente más tarde.")

    def __init__(self) -> None:
        super().__init__("The gateway returns no list of banks, and no earlier one is stored")


async def list_offered_banks(database: Database, client: GatewayClient, *, now: datetime) -> list[Bank]:
    """Return the offered banks in alphabetical order, without the placeholder.

    No transaction is open during the request.

    Raises:
        BankListUnavailable: the gateway returned no list, and no earlier list is stored.
    """
    stored = await _read_stored_list(database, client)
    if stored is None or _is_due(stored, now):
        stored = await _fetches.share((database, client.source), lambda: _refresh_list(database, client, now))
    return _require_banks(stored)


async def _refresh_list(database: Database, client: GatewayClient, now: datetime) -> BankList:
    """Return the list of banks. Fetch it unless another caller has just fetched it."""
    stored = await _read_stored_list(database, client)
    if stored is None or _is_due(stored, now):
        return await _fetch(database, client, stored, now)
    return stored


async def _read_stored_list(database: Database, client: GatewayClient) -> BankList | None:
    """Return the stored list; None if there is none or it came from another gateway."""
    async with database.read() as session:
        stored = await session.get(BankList, GATEWAY_PSE)
    return stored if stored is not None and stored.source == client.source else None


def _is_due(stored: BankList, now: datetime) -> bool:
    if stored.fetched_at is None:
        return now - stored.tried_at >= RETRY_INTERVAL_WITHOUT_LIST
    return now - stored.fetched_at >= MAX_LIST_AGE and now - stored.tried_at >= RETRY_INTERVAL


async def _fetch(
    database: Database, client: GatewayClient, stored: BankList | None, now: datetime
) -> BankList:
    """Fetch the gateway's list and store it, or store that the fetch failed."""
    fetched = BankList(
        provider_id=GATEWAY_PSE,
        source=client.source,
        banks=stored.banks if stored else [],
        fetched_at=stored.fetched_at if stored else None,
        tried_at=now,
    )
    try:
        banks = _clean_banks(await client.get_banks())
    except OutsideFailure as error:
        log.warning("the bank list could not be fetched: %s", error.message)
    else:
        if banks:
            fetched.banks, fetched.fetched_at = [asdict(bank) for bank in banks], now
        else:
            log.warning("the gateway's bank list holds no bank")
    await _store(database, fetched)
    return fetched


async def _store(database: Database, bank_list: BankList) -> None:
    row: dict[str, Any] = bank_list.model_dump()
    changed = {name: row[name] for name in ("source", "banks", "fetched_at", "tried_at", "updated_at")}
    async with database.transaction() as session:
        await session.execute(
            insert_into(BankList)
            .values(row)
            .on_conflict_do_update(index_elements=["provider_id"], set_=changed)
        )


def _require_banks(stored: BankList) -> list[Bank]:
    if not stored.banks:
        raise BankListUnavailable
    return [Bank(code=bank["code"], name=bank["name"]) for bank in stored.banks]


def _clean_banks(rows: list[Bank]) -> list[Bank]:
    """Return the banks of the list in alphabetical order, without the placeholder and repeated codes."""
    by_code = {bank.code: bank for bank in rows if bank.code and bank.name and bank.code != PLACEHOLDER_CODE}
    return sorted(by_code.values(), key=lambda bank: (_spanish_sort_key(bank.name), bank.code))


def _spanish_sort_key(name: str) -> str:
    """Return a sort key for Spanish alphabetical order: accents and case are ignored, and ñ comes after n."""
    marked = unicodedata.normalize("NFC", name.casefold()).replace("ñ", "n\N{LATIN SMALL LETTER ETH}")
    return "".join(c for c in unicodedata.normalize("NFKD", marked) if not unicodedata.combining(c))
