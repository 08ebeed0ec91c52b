"""Consent: who agreed to what, to which text, when and from where; the proof of it, and withdrawing it.

Ley 1581 of 2012, art. 9 (data: before, informed, with proof) and Ley 1480 of 2011, art. 50 (conditions of the sale).
Boxes are empty until somebody ticks them, and what is missing is refused here, whichever way it was sent.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.config.settings import Settings
from backend.core.db.database import db_now
from backend.core.db.tables import insert_into, table_of
from backend.core.errors import InvalidData
from backend.core.ids import new_id
from backend.core.texts import _
from backend.legal.models import Consent, KeptText
from backend.legal.texts import LegalKind, current_text, filled
from backend.office_settings import read_effective_settings


class ConsentKind(StrEnum):
    """What somebody agrees to."""

    DATA = "data"
    """That their data are processed."""
    TERMS = "terms"
    """The conditions of the sale."""
    MARKETING = "marketing"
    """To be written to about offers."""


class ConsentSource(StrEnum):
    """Where somebody agreed."""

    CHECKOUT = "checkout"
    REGISTER = "register"
    GOOGLE = "google"
    API = "api"


NEEDED = (ConsentKind.DATA, ConsentKind.TERMS)
"""What nobody buys or makes an account without."""
BOXES = {"consent_data": ConsentKind.DATA, "consent_terms": ConsentKind.TERMS}
"""The boxes by the name of their field."""
TICKED = "on"
"""What a box is sent as that is ticked."""
PROBLEMS = {
    "consent_data": _("Marca esta casilla para autorizar el tratamiento de tus datos."),
    "consent_terms": _("Marca esta casilla para aceptar los términos y condiciones."),
}
KIND_NAMES = {
    ConsentKind.DATA: _("Tratamiento de datos"),
    ConsentKind.TERMS: _("Términos y condiciones"),
    ConsentKind.MARKETING: _("Noticias y ofertas"),
}
LONGEST_VERSION = 50
_TEXTS = {
    ConsentKind.DATA: LegalKind.DATA,
    ConsentKind.TERMS: LegalKind.TERMS,
    ConsentKind.MARKETING: LegalKind.DATA,
}


@dataclass(frozen=True, slots=True)
class Consenting:
    """Somebody who has ticked what is needed.

    Attributes:
        settings: the shop's.
        client_ip: where they are.
        source: on which page.
    """

    settings: Settings
    client_ip: str
    source: ConsentSource


@dataclass(frozen=True, slots=True)
class ConsentProof:
    """The proof of a consent. `text` is what was agreed to, in Markdown; empty for a program's own text."""

    kind: ConsentKind
    version: str
    digest: str
    source: str
    given_at: datetime
    client_ip: str
    withdrawn_at: datetime | None
    text: str


def missing_ticks(typed: Mapping[str, Any]) -> dict[str, str]:
    """What to say beside each box that is not ticked."""
    return {name: PROBLEMS[name] for name in BOXES if typed.get(name) != TICKED}


def require_ticks(typed: Mapping[str, Any]) -> None:
    """Check that every box is ticked.

    Raises:
        InvalidData: `fields` says which are not.
    """
    if problems := missing_ticks(typed):
        raise InvalidData("The consents are missing", fields=problems)


_KEEP = insert_into(table_of(KeptText)).on_conflict_do_nothing()
_GIVE = insert_into(table_of(Consent)).on_conflict_do_nothing()


async def give_consents(
    session: AsyncSession, who: Consenting, *, cart_id: str | None = None, customer_id: str | None = None
) -> None:
    """Store that somebody agreed to all that is needed, and the texts as they are now. Told again, nothing happens.

    Args:
        who: who agreed, where.
        cart_id: for which purchase.
        customer_id: whose account.
    """
    effective = await read_effective_settings(session, who.settings)
    for kind in NEEDED:
        text = filled(await current_text(session, _TEXTS[kind]), effective)
        kept = {"digest": text.digest, "kind": text.kind, "version": text.version, "text": text.text}
        await session.execute(_KEEP.values(kept_at=db_now()), kept)
        await _give(
            session, kind, str(text.version), text.digest, who.source, who.client_ip, cart_id, customer_id
        )


async def note_consents(
    session: AsyncSession,
    told: Iterable[tuple[ConsentKind, str]],
    *,
    client_ip: str,
    cart_id: str,
    customer_id: str | None,
) -> None:
    """Store what a program says its shopper agreed to: kinds, and the versions of the program's own texts."""
    for kind, version in told:
        await _give(session, kind, version, "", ConsentSource.API, client_ip, cart_id, customer_id)


async def _give(  # noqa: PLR0917 - the columns of a row
    session: AsyncSession,
    kind: ConsentKind,
    version: str,
    digest: str,
    source: ConsentSource,
    client_ip: str,
    cart_id: str | None,
    customer_id: str | None,
) -> None:
    row = {
        "id": new_id("consent"),
        "kind": kind,
        "version": version,
        "digest": digest,
        "source": source,
        "client_ip": client_ip,
        "cart_id": cart_id,
        "customer_id": customer_id,
    }
    await session.execute(_GIVE.values(given_at=db_now()), row)
    if cart_id is not None and customer_id is not None:
        await own_consents(session, cart_id, customer_id)


async def own_consents(session: AsyncSession, cart_id: str, customer_id: str) -> None:
    """Make what a guest agreed to for the cart the customer's whose it is now, so that they can take it back."""
    guests = (
        Consent.cart_id == cart_id,
        Consent.customer_id.is_(None),
        Consent.withdrawn_at.is_(None),
    )
    await session.execute(update(Consent).where(*guests).values(customer_id=customer_id))


async def require_consents(session: AsyncSession, cart_id: str) -> None:
    """Check that all that is needed was agreed to for this cart.

    Raises:
        InvalidData: it was not; the message names the kinds.
    """
    query = select(Consent.kind).where(Consent.cart_id == cart_id, Consent.withdrawn_at.is_(None))
    given = set((await session.execute(query)).scalars())
    if missing := [kind for kind in NEEDED if kind not in given]:
        raise InvalidData(f"The cart needs these `consents`: {', '.join(missing)}")


async def consents_of_cart(session: AsyncSession, cart_id: str) -> list[ConsentProof]:
    """The proofs of what was agreed to for a cart, in the order of time."""
    return await _proofs(session, Consent.cart_id == cart_id)


async def consents_of_customer(session: AsyncSession, customer_id: str) -> list[ConsentProof]:
    """The proofs of what a customer agreed to, in the order of time."""
    return await _proofs(session, Consent.customer_id == customer_id)


async def consents_of_person(
    session: AsyncSession, customer_id: str, cart_ids: Sequence[str]
) -> list[ConsentProof]:
    """The proofs of what somebody agreed to, for themselves and with these carts, in the order of time."""
    return await _proofs(session, or_(Consent.customer_id == customer_id, Consent.cart_id.in_(cart_ids)))


async def withdraw_consent(session: AsyncSession, customer_id: str, kind: ConsentKind) -> int:
    """Withdraw all that a customer agreed to of this kind. The proof stays, with the moment that it ended.

    Returns:
        How many there were.
    """
    mine = (Consent.customer_id == customer_id, Consent.kind == kind, Consent.withdrawn_at.is_(None))
    ended = await session.execute(
        update(Consent).where(*mine).values(withdrawn_at=db_now()).returning(Consent.id)
    )
    return len(ended.all())


async def _proofs(session: AsyncSession, whose: Any) -> list[ConsentProof]:
    query = (
        select(Consent, KeptText.text)
        .outerjoin(KeptText, KeptText.digest == Consent.digest)
        .where(whose)
        .order_by(Consent.given_at, Consent.id)
    )
    return [
        ConsentProof(
            ConsentKind(row.kind),
            row.version,
            row.digest,
            row.source,
            row.given_at,
            row.client_ip,
            row.withdrawn_at,
            text or "",
        )
        for row, text in (await session.execute(query)).all()
    ]
