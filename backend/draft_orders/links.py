"""Payment links: a customer opens a draft order in the shop's own checkout and pays it there.

The token is random; the database has only its hash. A link opens the draft's cart and nothing else: before the link
is made, and when another browser opens it, the customer's data leave the cart, so the holder of a link sees only
products and prices. After the link has expired, its cart cannot be paid, even in an open checkout. The link reserves
no stock. The checkout asks for the consents, as always, and the cart becomes at most one order.
"""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from urllib.parse import quote

from sqlalchemy import bindparam, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.cart.access import open_cart
from backend.cart.contents import read_contents
from backend.cart.models import Cart, LineItem
from backend.cart.shipping_method import mark_cart_changed
from backend.cart.totals import read_goods_total
from backend.cart.views import read_cart_view
from backend.core.config.settings import Settings
from backend.core.db.database import database_now, db_now
from backend.core.errors import InvalidData, NotFound
from backend.core.events import publish
from backend.core.money import Cop, format_cop
from backend.core.texts import _
from backend.core.web.contact import parse_phone, require_email, tidy_email, to_one_line
from backend.draft_orders.drafts import cancel_locked_draft, lock_draft, require_allowed_discount
from backend.draft_orders.events import PaymentLinkMailRequested
from backend.draft_orders.models import LINK_LIFETIME, DraftOrder, PaymentLink
from backend.orders.models import Order
from backend.orders.origins import OrderOrigin
from backend.orders.states import HAS_MONEY, OrderStatus
from backend.rate_limit.limiter import RateLimit
from backend.staff.rights import Actor, Right

LINK_OPENINGS = RateLimit("payment link", per_pair=60, per_client=600, per_subject=0)
"""How often a client may open payment links in a quarter of an hour, so that links cannot be found by trying."""
TOKEN_BYTES = 24
MAX_TOKEN_LENGTH = 64
MAX_WAITING = 20
PATH = "/pay"


class LinkState(StrEnum):
    """State of a payment link."""

    OPEN = "open"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    WAITING = "waiting"
    """The bank has not decided about the payment yet."""
    PAID = "paid"
    FAILED = "failed"
    """The order was cancelled, because it was not paid."""


@dataclass(frozen=True, slots=True)
class NewLink:
    """A new payment link. Its URL can be shown only now, because it contains a token that is not stored."""

    id: str
    url: str
    total: Cop


@dataclass(frozen=True, slots=True)
class FoundLink:
    """A payment link that a token opens."""

    state: LinkState
    draft_id: str
    cart_id: str
    total: Cop
    """The total of the products when the link was made."""


async def create_link(session: AsyncSession, actor: Actor, settings: Settings, draft_id: str) -> NewLink:
    """Create a payment link of the draft. The draft is then no longer the seller's current sale.

    Raises:
        NotFound, NotAllowed, Conflict: see `backend.draft_orders.drafts.lock_draft`.
        InvalidData: the draft has no lines.
        DiscountTooLarge: see `backend.draft_orders.drafts.require_allowed_discount`.
    """
    locked = await lock_draft(session, actor, draft_id)
    contents = await read_contents(session, locked.cart.id)
    if not contents.lines:
        raise InvalidData("A draft order without lines has nothing to pay")
    await require_allowed_discount(session, actor, settings, locked.cart)
    await record(session, actor, "payment link created", Subject(SubjectType.DRAFT_ORDER, draft_id))
    await _remove_customer(session, locked.cart)
    if locked.cart.origin == OrderOrigin.COUNTER:
        locked.cart.origin = OrderOrigin.LINK  # a sale at a distance, with retracto
    locked.draft.is_current = False
    total = await read_goods_total(session, locked.cart.id, contents)
    expires_at = locked.cart.payable_until = await database_now(session) + LINK_LIFETIME
    return await _store_link(
        session, settings, draft_id, total=total, expires_at=expires_at, created_by=actor.id
    )


async def mail_link(session: AsyncSession, actor: Actor, draft_id: str, address: str) -> None:
    """Send a payment link of the draft by e-mail. The e-mail gets a new link, because tokens are not stored.

    Raises:
        NotFound, NotAllowed, Conflict: see `backend.draft_orders.drafts.lock_draft`.
        InvalidData: the address is not valid; or the draft has no valid link.
    """
    await lock_draft(session, actor, draft_id)
    try:
        address = tidy_email(require_email(to_one_line(address)))
    except ValueError as error:
        raise InvalidData("The address is not valid", fields={"email": str(error)}) from error
    if await _find_valid_link(session, draft_id) is None:
        raise InvalidData("The draft order has no valid payment link")
    await record(session, actor, "payment link mailed", Subject(SubjectType.DRAFT_ORDER, draft_id))
    await publish(session, PaymentLinkMailRequested(draft_id, address))


@dataclass(frozen=True, slots=True)
class LinkEmail:
    """Content of the e-mail with a payment link: names and amounts of the lines, and the total without shipping."""

    items: list[tuple[str, str]]
    total: Cop
    url: str
    expires_at: datetime


async def write_link_email(session: AsyncSession, settings: Settings, draft_id: str) -> LinkEmail | None:
    """Create a link that expires together with the draft's newest link, and return the content of its e-mail.

    Return None if the draft has no valid link: it was withdrawn, it has become an order, or its link has expired.
    """
    newest = await _find_valid_link(session, draft_id)
    draft = await session.get(DraftOrder, draft_id)
    if newest is None or draft is None:
        return None
    view = await read_cart_view(session, draft.cart_id)
    link = await _store_link(
        session,
        settings,
        draft_id,
        total=newest.total,
        expires_at=newest.expires_at,
        created_by=newest.created_by,
    )
    items = [(f"{line.quantity} × {line.title}", line.line_total_label) for line in view.lines]
    savings = [(one.code, one.amount_label) for one in view.savings]
    return LinkEmail([*items, *savings], view.item_total, link.url, newest.expires_at)


async def _store_link(
    session: AsyncSession,
    settings: Settings,
    draft_id: str,
    *,
    total: Cop,
    expires_at: datetime,
    created_by: str,
) -> NewLink:
    """Store a payment link with a new token, and return it."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    link = PaymentLink(
        draft_order_id=draft_id,
        token_hash=hash_token(token),
        total=total,
        expires_at=expires_at,
        created_by=created_by,
    )
    session.add(link)
    await session.flush()
    return NewLink(link.id, f"{settings.base_url}{PATH}/{token}", total)


async def _find_valid_link(session: AsyncSession, draft_id: str) -> PaymentLink | None:
    """Return the newest link of the draft; None if there is none, or if it can no longer be paid."""
    newest = _LINKS.where(DraftOrder.id == draft_id).order_by(PaymentLink.created_at.desc()).limit(1)
    row = (await session.execute(newest)).one_or_none()
    if row is None:
        return None
    link, draft, order, is_expired = row
    return link if _find_state(draft, order, is_expired=is_expired) is LinkState.OPEN else None


async def withdraw(session: AsyncSession, actor: Actor, draft_id: str) -> None:
    """Cancel a draft order with a payment link: see `backend.draft_orders.drafts.cancel_locked_draft`.

    Raises:
        NotFound, NotAllowed: see `backend.draft_orders.drafts.lock_draft`.
        Conflict: a customer is paying the draft at the bank.
    """
    locked = await lock_draft(session, actor, draft_id)
    await record(session, actor, "payment link withdrawn", Subject(SubjectType.DRAFT_ORDER, draft_id))
    await cancel_locked_draft(session, locked)


@dataclass(frozen=True, slots=True)
class WaitingLink:
    """An unpaid draft order with a payment link."""

    draft_id: str
    state: LinkState
    total: Cop
    units: int
    made_at: datetime


async def list_waiting(session: AsyncSession, actor: Actor) -> list[WaitingLink]:
    """Return the newest unpaid drafts that have a payment link and were not withdrawn."""
    actor.require(Right.READ_ORDERS)
    found: dict[str, WaitingLink] = {}
    for link, draft, order, is_expired, units in await session.execute(_WAITING):
        state = _find_state(draft, order, is_expired=is_expired)
        found.setdefault(draft.id, WaitingLink(draft.id, state, link.total, int(units or 0), link.created_at))
    return list(found.values())[:MAX_WAITING]


async def find_link(session: AsyncSession, token: str) -> FoundLink:
    """Return the payment link that this token opens.

    Raises:
        NotFound: the token opens no link. The error is the same for every unknown token.
    """
    row = None
    if 0 < len(token) <= MAX_TOKEN_LENGTH:
        row = (await session.execute(_LINK, {"token_hash": hash_token(token)})).one_or_none()
    if row is None:
        raise NotFound("Payment link was not found")
    link, draft, order, is_expired = row
    return FoundLink(_find_state(draft, order, is_expired=is_expired), draft.id, draft.cart_id, link.total)


async def open_in_new_browser(session: AsyncSession, token: str) -> FoundLink:
    """Return the payment link, and remove the customer's data that another browser entered in its cart.

    A link may be forwarded, and the next person must not see the name and address of the previous one.

    Raises:
        NotFound: see `find_link`.
        Conflict: a payment of the cart is at the bank.
    """
    link = await find_link(session, token)
    if link.state is LinkState.OPEN:
        await _remove_customer(session, await open_cart(session, link.cart_id))
    return link


def _find_state(draft: DraftOrder, order: Order | None, *, is_expired: bool) -> LinkState:
    if order is not None:
        if order.payment_status in HAS_MONEY or order.paid_at is not None:
            return LinkState.PAID
        return LinkState.FAILED if order.status == OrderStatus.CANCELED else LinkState.WAITING
    if draft.canceled_at is not None:
        return LinkState.WITHDRAWN
    return LinkState.EXPIRED if is_expired else LinkState.OPEN


def hash_token(token: str) -> str:
    """Return the hash under which a link is stored."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def build_whatsapp_url(phone: str, link: NewLink, store_name: str) -> str:
    """Return the URL that opens WhatsApp with a message; without a Colombian number, the seller picks the recipient."""
    text = _("Hola, este es tu pedido de {store} por {total}. Puedes pagarlo aquí: {url}").format(
        store=store_name, total=format_cop(link.total), url=link.url
    )
    number = parse_phone(phone)
    return f"https://wa.me/{'57' + number if number else ''}?text={quote(text)}"


async def _remove_customer(session: AsyncSession, cart: Cart) -> None:
    """Remove the customer's data from the (locked) cart. The next person enters their own data at the checkout."""
    cart.email = cart.guest_id = cart.customer_id = None
    cart.shipping_address = cart.billing_address = None
    cart.draft = {}
    await mark_cart_changed(session, cart)


_UNITS = select(func.sum(LineItem.quantity)).where(LineItem.cart_id == DraftOrder.cart_id).scalar_subquery()
_LINKS = (
    select(PaymentLink, DraftOrder, Order, PaymentLink.expires_at <= db_now())
    .join(DraftOrder, DraftOrder.id == PaymentLink.draft_order_id)
    .outerjoin(Order, Order.id == DraftOrder.id)
)
_LINK = _LINKS.where(PaymentLink.token_hash == bindparam("token_hash"))
_WAITING = (
    _LINKS.add_columns(_UNITS)
    .where(DraftOrder.canceled_at.is_(None), or_(Order.id.is_(None), Order.paid_at.is_(None)))
    .order_by(PaymentLink.created_at.desc(), PaymentLink.id.desc())
    .limit(MAX_WAITING * 3)
)
