"""Accounts that guests open after a purchase, by a link that is mailed to the address of their order.

The link proves that the person owns the address. So the new account gets all orders that were placed with this
address and belong to no account. Without the link, an account gets none of them.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from sqlalchemy import func, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.clock import now
from backend.core.db.database import Database
from backend.core.db.tables import table_of
from backend.core.errors import InvalidData, NotFound
from backend.core.events import publish
from backend.core.texts import _
from backend.core.web.contact import clean_name, tidy_email
from backend.core.web.passwords import hash_password
from backend.core.web.signing import SignedLink
from backend.customers.auth.accounts import AddressTaken, NewPassword, parse_with_ticks, store_account
from backend.customers.models import Customer, GuestCustomer
from backend.legal.consents import ConsentContext, assign_consents
from backend.orders.events import AccountLinkRequested
from backend.orders.links.tokens import ORDER_LINK
from backend.orders.models import Order
from backend.orders.parties import find_party_name
from backend.presses.service import use_press
from backend.rate_limit import limiter
from backend.rate_limit.limiter import Client, RateLimit, SubjectExhausted

ACCOUNT_LINKS = RateLimit("account link", per_pair=3, per_client=30, per_subject=5, per_day=10)
"""Limits per order (the subject). The mails to an address are limited too: see `backend.mail.limits`."""
LIFETIME = timedelta(days=1)
_LINK = SignedLink(salt="account of a guest", noun="Order")


class InvalidAccountLink(InvalidData):
    """The link was used, has expired, or never existed."""

    shopper_text = _("Este enlace ya se usó o venció. Pide otro en la página de tu pedido.")

    def __init__(self) -> None:
        super().__init__("The link is not valid")


class AccountExists(InvalidData):
    """An account with this address was created after the link was mailed."""

    shopper_text = _("Ya hay una cuenta con este correo. Entra con tu contraseña.")

    def __init__(self) -> None:
        super().__init__("Identity with email already exists")


async def request_account_link(
    database: Database, signing_key: str, order_id: str, token: str, *, client: Client
) -> None:
    """Request the e-mail with the link that opens an account. The result does not reveal if an account exists.

    If many clients have requested the link of the same order, no further e-mail is sent for some time, and no error
    is raised.

    Args:
        database: the shop's database.
        signing_key: the shop's signing key.
        order_id: the guest's order.
        token: the token of the order's own link.
        client: the client, for the rate limits.

    Raises:
        NotFound: the token is not that of the order, or the order belongs to an account.
        TooManyRequests: this client sent too many requests recently.
        PressUsed: the shop has already handled an earlier request of the same button click.
    """
    ORDER_LINK.require(signing_key, order_id, token)
    try:
        await limiter.hit(database, ACCOUNT_LINKS, order_id, client)
    except SubjectExhausted:
        return
    async with database.transaction() as session:
        await use_press(session)
        if await _find_guest_order(session, order_id) is None:
            raise NotFound(f"Order with id: {order_id} was not found")
        await publish(session, AccountLinkRequested(order_id))


def can_open_account(order: Order) -> bool:
    """Return True if a link that opens an account can be mailed to the address of this order."""
    return bool(order.email) and order.customer_id is None and order.erased_at is None


def create_account_token(signing_key: str, order: Order) -> str:
    """Create the token of the link that opens an account for the address of this order. It is valid for `LIFETIME`."""
    expires_at = str(int((now() + LIFETIME).timestamp()))
    return f"{order.id}.{expires_at}.{_LINK.token(signing_key, _signed_text(order, expires_at))}"


def _signed_text(order: Order, expires_at: str) -> str:
    # includes the address, so that a link mailed to a wrong address is not valid after staff have corrected it
    return f"{order.id} {expires_at} {order.email}"


async def open_account(
    database: Database, token: str, typed: Mapping[str, Any], *, consenting: ConsentContext
) -> str:
    """Create the account of a guest who followed a mailed link, and assign the orders of its address to the account.

    The account gets the name of the order's payer. A link works only once.

    Args:
        database: the shop's database.
        token: the token of the link.
        typed: the form: the password and the checkboxes.
        consenting: the shop's settings, and the page and IP address from which the customer consents.

    Returns:
        The customer's id.

    Raises:
        InvalidData: the password is not allowed, or a box is not ticked (`fields`); the link stays valid.
        InvalidAccountLink: the token was used, has expired, or never existed.
        AccountExists: an account with this address was created after the mail was sent.
    """
    form = parse_with_ticks(NewPassword, typed)
    async with database.read() as session:
        await _read_order(session, consenting.settings.signing_key, token)
    hashed = await hash_password(form.password)
    try:
        async with database.transaction() as session:
            order = await _read_order(session, consenting.settings.signing_key, token)
            name = find_party_name(order.billing_address, order.shipping_address, "")
            customer = Customer(
                email=tidy_email(order.email),
                first_name=clean_name(name.first_name),
                last_name=clean_name(name.last_name),
            )
            await store_account(session, customer, hashed, consenting)
            # after a concurrent change of the order, for example the deletion of its data, the link is not valid
            if order.id not in await _assign_orders(session, customer, order.id):
                raise InvalidAccountLink
    except (AddressTaken, IntegrityError):  # the latter: a concurrent request created it
        raise AccountExists from None
    return customer.id


async def _read_order(session: AsyncSession, signing_key: str, token: str) -> Order:
    """Return the guest's order to whose address the link was mailed.

    Raises:
        InvalidAccountLink: the token is forged or has expired, or the order belongs to an account now.
    """
    order_id, _dot, rest = token.partition(".")
    expires_at, _dot, signature = rest.partition(".")
    order = await _find_guest_order(session, order_id)
    if order is None:
        raise InvalidAccountLink
    try:
        _LINK.require(signing_key, _signed_text(order, expires_at), signature)
    except NotFound:
        raise InvalidAccountLink from None
    if float(expires_at) <= now().timestamp():
        raise InvalidAccountLink
    return order


async def _find_guest_order(session: AsyncSession, order_id: str) -> Order | None:
    query = select(Order).where(Order.id == order_id)
    order = (await session.execute(query)).scalar_one_or_none()
    return order if order is not None and can_open_account(order) else None


async def _assign_orders(session: AsyncSession, customer: Customer, order_id: str) -> set[str]:
    """Give the customer this order and the other orders of guests with the customer's address. Return their ids."""
    order = table_of(Order)
    guest = select(GuestCustomer.id).where(GuestCustomer.email == customer.email)
    of_guest = (
        or_(order.c.id == order_id, order.c.guest_id.in_(guest)),
        func.lower(order.c.email) == customer.email,
        order.c.customer_id.is_(None),
        order.c.erased_at.is_(None),
    )
    assigned = await session.execute(
        update(order)
        .where(*of_guest)
        .values(customer_id=customer.id, guest_id=None, updated_at=order.c.updated_at)
        .returning(order.c.id, order.c.cart_id)
    )
    ids = set()
    for found_id, cart_id in assigned:
        ids.add(found_id)
        await assign_consents(session, cart_id, customer.id)
    return ids
