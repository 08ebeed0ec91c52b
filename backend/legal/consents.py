"""Consents of persons to legal texts: the text, the time and the source; their proofs, and their withdrawal.

Ley 1581 of 2012, art. 9 (data: prior and informed consent, with proof) and Ley 1480 of 2011, art. 50 (terms of the
sale). Checkboxes are not ticked by default. This module refuses missing consents, for pages and for API clients.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, bindparam, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.config.settings import Settings
from backend.core.db.database import db_now
from backend.core.db.tables import insert_into, table_of
from backend.core.errors import InvalidData
from backend.core.ids import new_id
from backend.core.texts import _
from backend.legal.models import AgreedText, Consent
from backend.legal.texts import LegalKind, current_text, fill_text
from backend.office_settings import read_effective_settings


class ConsentKind(StrEnum):
    """Kind of a consent."""

    DATA = "data"
    """Processing of personal data."""
    TERMS = "terms"
    """Terms of the sale."""
    MARKETING = "marketing"
    """Mails about offers."""


class ConsentSource(StrEnum):
    """Source of a consent."""

    CHECKOUT = "checkout"
    REGISTER = "register"
    GOOGLE = "google"
    ORDER = "order"
    """The page of a mailed link, by which a guest opens an account after a purchase."""
    ACCOUNT = "account"
    """The account's page."""
    API = "api"


REQUIRED_CONSENTS = (ConsentKind.DATA, ConsentKind.TERMS)
"""Consents that every purchase and every account needs."""
CHECKBOXES = {"consent_data": ConsentKind.DATA, "consent_terms": ConsentKind.TERMS}
"""Checkboxes by the name of their field."""
TICKED = "on"
"""Value of a ticked checkbox."""
PROBLEMS = {
    "consent_data": _("Marca esta casilla para autorizar el tratamiento de tus datos."),
    "consent_terms": _("Marca esta casilla para aceptar los términos y condiciones."),
}
KIND_NAMES = {
    ConsentKind.DATA: _("Tratamiento de datos"),
    ConsentKind.TERMS: _("Términos y condiciones"),
    ConsentKind.MARKETING: _("Noticias y ofertas"),
}
MAX_VERSION_LENGTH = 50
_TEXTS = {
    ConsentKind.DATA: LegalKind.DATA,
    ConsentKind.TERMS: LegalKind.TERMS,
    ConsentKind.MARKETING: LegalKind.DATA,
}


@dataclass(frozen=True, slots=True)
class ConsentContext:
    """Origin of the required consents that a person has given.

    Attributes:
        settings: the shop's settings.
        client_ip: IP address of the person's client.
        source: the page on which the consents were given.
    """

    settings: Settings
    client_ip: str
    source: ConsentSource


@dataclass(frozen=True, slots=True)
class ConsentProof:
    """The proof of a consent. `text` is the accepted text in Markdown; empty if an API client showed its own text."""

    kind: ConsentKind
    version: str
    digest: str
    source: str
    given_at: datetime
    client_ip: str
    withdrawn_at: datetime | None
    text: str


def missing_ticks(typed: Mapping[str, Any]) -> dict[str, str]:
    """Return the error message of each checkbox that is not ticked."""
    return {name: PROBLEMS[name] for name in CHECKBOXES if typed.get(name) != TICKED}


def require_ticks(typed: Mapping[str, Any]) -> None:
    """Check that every required checkbox is ticked.

    Raises:
        InvalidData: checkboxes are not ticked; `fields` has their errors.
    """
    if problems := missing_ticks(typed):
        raise InvalidData("The consents are missing", fields=problems)


_INSERT_TEXT = insert_into(table_of(AgreedText)).on_conflict_do_nothing()
_INSERT_CONSENT = insert_into(table_of(Consent)).on_conflict_do_nothing()


async def give_consents(
    session: AsyncSession,
    context: ConsentContext,
    *,
    cart_id: str | None = None,
    customer_id: str | None = None,
) -> None:
    """Store all required consents with the current texts. Repeating the call for a cart has no effect.

    Args:
        session: a transaction.
        context: the origin of the consents.
        cart_id: cart of the purchase.
        customer_id: id of the account.
    """
    for kind in REQUIRED_CONSENTS:
        await _give_consent(session, context, kind, cart_id, customer_id)


async def give_marketing_consent(session: AsyncSession, context: ConsentContext, customer_id: str) -> None:
    """Store the customer's consent to receive offers, with the current text. Repeating it has no effect."""
    if not await has_marketing_consent(session, customer_id):
        await _give_consent(session, context, ConsentKind.MARKETING, None, customer_id)


async def has_marketing_consent(session: AsyncSession, customer_id: str) -> bool:
    """Return True if the customer has agreed to receive offers, and has not withdrawn it."""
    given = select(Consent.id).where(
        Consent.customer_id == customer_id,
        Consent.kind == ConsentKind.MARKETING,
        Consent.withdrawn_at.is_(None),
    )
    return (await session.execute(given.limit(1))).first() is not None


async def _give_consent(
    session: AsyncSession,
    context: ConsentContext,
    kind: ConsentKind,
    cart_id: str | None,
    customer_id: str | None,
) -> None:
    effective = await read_effective_settings(session, context.settings)
    text = fill_text(await current_text(session, _TEXTS[kind]), effective)
    kept = {"digest": text.digest, "kind": text.kind, "version": text.version, "text": text.text}
    await session.execute(_INSERT_TEXT.values(kept_at=db_now()), kept)
    await _store_consent(
        session, kind, str(text.version), text.digest, context.source, context.client_ip, cart_id, customer_id
    )


async def store_reported_consents(
    session: AsyncSession,
    consents: Iterable[tuple[ConsentKind, str]],
    *,
    client_ip: str,
    cart_id: str,
    customer_id: str | None,
) -> None:
    """Store consents that an API client reports, as pairs of the kind and the version of the client's own text."""
    for kind, version in consents:
        await _store_consent(session, kind, version, "", ConsentSource.API, client_ip, cart_id, customer_id)


async def _store_consent(  # noqa: PLR0917 - the columns of a row
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
    await session.execute(_INSERT_CONSENT.values(given_at=db_now()), row)
    if cart_id is not None and customer_id is not None:
        await assign_consents(session, cart_id, customer_id)


async def assign_consents(session: AsyncSession, cart_id: str, customer_id: str) -> None:
    """Assign a guest's consents for the cart to the customer, so that the customer can withdraw them."""
    guests = (
        Consent.cart_id == cart_id,
        Consent.customer_id.is_(None),
        Consent.withdrawn_at.is_(None),
    )
    await session.execute(update(Consent).where(*guests).values(customer_id=customer_id))


async def require_consents(session: AsyncSession, cart_id: str) -> None:
    """Check that all required consents were given for this cart.

    Raises:
        InvalidData: consents are missing; the message names them.
    """
    query = select(Consent.kind).where(Consent.cart_id == cart_id, Consent.withdrawn_at.is_(None))
    given = set((await session.execute(query)).scalars())
    if missing := [kind for kind in REQUIRED_CONSENTS if kind not in given]:
        raise InvalidData(f"The cart needs these `consents`: {', '.join(missing)}")


async def consents_of_cart(session: AsyncSession, cart_id: str) -> list[ConsentProof]:
    """Return the proofs of a cart's consents, the oldest first."""
    return _to_proofs(await session.execute(_PROOFS_OF_CART, {"cart_id": cart_id}))


async def consents_of_customer(session: AsyncSession, customer_id: str) -> list[ConsentProof]:
    """Return the proofs of a customer's consents, the oldest first."""
    return await _read_proofs(session, _CONSENT.c.customer_id == customer_id)


async def consents_of_person(
    session: AsyncSession, customer_id: str, cart_ids: Sequence[str]
) -> list[ConsentProof]:
    """Return the proofs of the consents that were given by the customer or for one of these carts, the oldest first."""
    is_own = or_(_CONSENT.c.customer_id == customer_id, _CONSENT.c.cart_id.in_(cart_ids))
    return await _read_proofs(session, is_own)


async def withdraw_consent(session: AsyncSession, customer_id: str, kind: ConsentKind) -> int:
    """Withdraw all of a customer's consents of this kind. The proofs stay, with the time of the withdrawal.

    Returns:
        The number of withdrawn consents.
    """
    mine = (Consent.customer_id == customer_id, Consent.kind == kind, Consent.withdrawn_at.is_(None))
    ended = await session.execute(
        update(Consent).where(*mine).values(withdrawn_at=db_now()).returning(Consent.id)
    )
    return len(ended.all())


async def _read_proofs(session: AsyncSession, condition: ColumnElement[bool]) -> list[ConsentProof]:
    return _to_proofs(await session.execute(_PROOFS.where(condition)))


def _to_proofs(rows: Iterable[Any]) -> list[ConsentProof]:
    return [
        ConsentProof(
            ConsentKind(row.kind),
            row.version,
            row.digest,
            row.source,
            row.given_at,
            row.client_ip,
            row.withdrawn_at,
            row.text or "",
        )
        for row in rows
    ]


_CONSENT, _TEXT = table_of(Consent), table_of(AgreedText)
_PROOFS = (
    select(_CONSENT, _TEXT.c.text)
    .outerjoin(_TEXT, _TEXT.c.digest == _CONSENT.c.digest)
    .order_by(_CONSENT.c.given_at, _CONSENT.c.id)
)
_PROOFS_OF_CART = _PROOFS.where(_CONSENT.c.cart_id == bindparam("cart_id"))
