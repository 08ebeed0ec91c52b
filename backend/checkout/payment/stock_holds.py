"""Limit the stock that one client holds by unpaid payments.

A client is an address (IPv6 by /64), a device, an e-mail address or a telephone number. A payment counts for a
client if any of the four is the same. The payment session stores them as keyed hashes, with its units.

Beyond a limit, a small purchase continues without a hold: other customers can still buy its units, and the stock is
reduced only when it is paid. A larger purchase is refused. The caller has locked the client (`client_locks`) and
the inventory levels, so two concurrent starts of one client are counted one after the other.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Self

from sqlalchemy import and_, bindparam, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.alerts import AlertKind, raise_alert
from backend.core.db.database import db_now
from backend.core.errors import InsufficientStock, InvalidData
from backend.core.texts import _
from backend.core.web.contact import tidy_email
from backend.core.web.signing import keyed_hash
from backend.inventory.models import SELLABLE_UNITS, InventoryLevel, Reservation
from backend.inventory.service import STOCK_GONE
from backend.orders.service import Sale
from backend.payment.models import PaymentSession
from backend.payment.states import OPEN_STATES, SessionState
from backend.rate_limit.limiter import network_of

MAX_SHOP_SHARE = 10
"""A client holds at most a tenth of the shop's free units."""
MIN_SHOP_SHARE_UNITS = 10
"""Units that a client may always hold by this limit, so that a shop with fewer than 100 free units can sell at all."""
MAX_VARIANT_SHARE = 2
"""A client holds at most half of a variant that has more than `SCARCE_UNITS` free units."""
SCARCE_UNITS = 5
SMALL_PURCHASE_UNITS = 3
"""A purchase of at most this number of units of each variant is not refused by the limits.

All unpaid holds together leave this many units of a variant free, unless it is scarce.
"""
MAX_TOTAL_TIME = timedelta(minutes=60)
"""How long a client holds units of a variant without paying, over all its payments."""
MIN_HOLD_TIME = timedelta(minutes=24)
"""Minimum length of a hold: it covers a bank's session (21 minutes) and its start."""
RENEWAL_PAUSE = timedelta(hours=2)
"""Within this time after the end of a client's hold, another hold of the same variant counts as its renewal."""
MAX_UNPAID_SHARE = 2
"""All clients together hold at most half of the shop's units by unpaid payments."""
ATTACK_SHARE = 4
"""If unpaid payments hold over a quarter of the shop's units, other clients cannot block a small purchase."""
MIN_UNPAID_UNITS = 50
"""Up to this number of unpaid units, `MAX_UNPAID_SHARE` and `ATTACK_SHARE` are ignored.

In a small shop, one purchase may be half of the stock.
"""

_WAITING = (OPEN_STATES | {SessionState.PENDING, SessionState.AUTHORIZED}) - {SessionState.HELD}
"""States of a payment that may be paid, and whose approval the gateway is not reviewing."""
_NO_RENEWAL = (SessionState.AUTHORIZED, SessionState.FAILED)
"""States of a payment whose hold is not counted as renewed: it was never started, or staff wait for its money."""

TOO_MANY_OF_VARIANT = "At most {most} units of {title} can be held for a purchase that is not paid yet"
TOO_MANY_UNITS = "At most {most} more units can be held for purchases that are not paid yet"


class HoldTooLarge(InvalidData):
    """A purchase of more units than one client may hold before it has paid.

    Attributes:
        is_repeated: True if the client has other unpaid purchases, or if units that others hold cause the error.
        notice: the text of the alert for the owner.
    """

    def __init__(self, message: str, shopper_text: str, *, is_repeated: bool, notice: str) -> None:
        super().__init__(message, shopper_text=shopper_text)
        self.is_repeated = is_repeated
        self.notice = notice


@dataclass(frozen=True, slots=True)
class HoldClient:
    """The keyed hashes that identify a payment's client; None for unknown values."""

    client_address: str | None
    client_device: str | None
    client_email: str | None
    client_phone: str | None

    @classmethod
    def of_sale(cls, sale: Sale, *, ip: str, device: str, signing_key: str) -> Self:
        """Compute the hashes of the client that pays this sale; `ip` and `device` may be empty."""
        phone = "".join(filter(str.isdigit, str(sale.shipping_address.get("phone") or "")))[-10:]
        return cls(
            _client_key(signing_key, "address", network_of(ip) if ip else ""),
            _client_key(signing_key, "device", device),
            _client_key(signing_key, "email", tidy_email(sale.email)),
            _client_key(signing_key, "phone", phone),
        )

    def values(self) -> dict[str, str | None]:
        """Return the columns of the payment session that store these hashes."""
        return {name: getattr(self, name) for name in self.__slots__}

    def client_locks(self) -> list[str]:
        """Return the keys that a payment start of this client must lock.

        The client's address is not among them, because the rate limit locks it (see `Client`).
        """
        return [key for name, key in self.values().items() if key and name != "client_address"]


def _client_key(signing_key: str, kind: str, value: str) -> str | None:
    if not value:
        return None
    return keyed_hash(signing_key, "stock holds", f"{kind}\0{value}").hex()[:32]


_UNPAID = (
    select(func.coalesce(func.sum(Reservation.quantity), 0))
    .where(Reservation.expires_at > db_now(), Reservation.holder != bindparam("holder"))
    .scalar_subquery()
)
_HOLDS = select(
    PaymentSession.id,
    PaymentSession.state,
    PaymentSession.created_at,
    PaymentSession.expires_at,
    PaymentSession.units,
    PaymentSession.holds_stock,
    db_now(),
    _UNPAID,
).where(
    PaymentSession.expires_at > db_now(-RENEWAL_PAUSE),
    or_(
        PaymentSession.client_address == bindparam("client_address"),
        PaymentSession.client_device == bindparam("client_device"),
        PaymentSession.client_email == bindparam("client_email"),
        PaymentSession.client_phone == bindparam("client_phone"),
        PaymentSession.id == bindparam("session_id"),
    ),
)
_OWN_UNITS = (
    select(func.coalesce(func.sum(Reservation.quantity), 0))
    .where(Reservation.holder == bindparam("holder"))
    .scalar_subquery()
)
_SHOP_FREE = select(func.coalesce(func.sum(SELLABLE_UNITS), 0) + _OWN_UNITS)
"""The shop's free units, including those that an earlier payment of the same cart still holds."""
_UNPAID_BY_VARIANT = (
    select(InventoryLevel.variant_id, func.sum(Reservation.quantity))
    .join(InventoryLevel, InventoryLevel.id == Reservation.level_id)
    .where(
        Reservation.expires_at > db_now(),
        Reservation.holder != bindparam("holder"),
        InventoryLevel.variant_id.in_(bindparam("variant_ids", expanding=True)),
    )
    .group_by(InventoryLevel.variant_id)
)
_WAITING_UNITS = select(
    func.coalesce(PaymentSession.client_address, PaymentSession.id), PaymentSession.units
).where(
    or_(
        and_(PaymentSession.expires_at > db_now(), PaymentSession.state.in_(sorted(_WAITING))),
        PaymentSession.state == SessionState.HELD,  # its hold ends later than the session
    ),
    PaymentSession.id != bindparam("session_id"),
)


@dataclass
class ClientHolds:
    """A client's other unpaid payments, and the new purchase for which units would be held. The client must be locked.

    Attributes:
        until: end of the new hold; None if less than `MIN_HOLD_TIME` is left for it.
        shop_unpaid: units in the whole shop that unpaid payments of other carts hold.
        held: units by variant id that the client's other payments hold.
        unheld: units by variant id of the client's other unpaid purchases that hold no stock.
    """

    session_id: str
    cart_id: str
    sale: Sale
    until: datetime | None
    shop_unpaid: int
    held: Counter[str] = field(default_factory=Counter)
    unheld: Counter[str] = field(default_factory=Counter)

    async def admit(self, session: AsyncSession, free: Mapping[str, int]) -> bool:
        """Return True if the purchase's units must be held, False if it continues without a hold. See `admit_hold`."""
        requested = self.sale.units
        if any(free[variant] < units for variant, units in requested.items()):
            raise InsufficientStock(STOCK_GONE)
        excess = await self._find_excess(session, free)
        if excess is None and self.until is not None:
            return True
        if excess is not None and max(requested.values()) > SMALL_PURCHASE_UNITS:
            raise excess
        await self._require_unclaimed(session, free)
        if excess is not None and excess.is_repeated:
            await report_excess(session, excess)
        return False

    async def _find_excess(self, session: AsyncSession, free: Mapping[str, int]) -> HoldTooLarge | None:
        """Return the error of the first limit that the hold would exceed; None if there is none."""
        requested = self.sale.units
        for variant, units in requested.items():
            reachable = free[variant] + self.held[variant]
            max_units = reachable // MAX_VARIANT_SHARE if reachable > SCARCE_UNITS else reachable
            if self.held[variant] + units > max_units:
                return self._create_variant_excess(variant, max_units)
        tight = [one for one, units in requested.items() if free[one] - units < SMALL_PURCHASE_UNITS]
        if tight:
            unpaid = await self._read_unpaid_by_variant(session)
            for variant in tight:
                has_others = unpaid[variant] > self.held[variant]
                if has_others and free[variant] + unpaid[variant] > SCARCE_UNITS:
                    return self._create_variant_excess(
                        variant, self.held[variant] + SMALL_PURCHASE_UNITS, by_others=True
                    )
        held, count = self.held.total(), sum(requested.values())
        unpaid_after = self.shop_unpaid + count
        if held + count <= MIN_SHOP_SHARE_UNITS and unpaid_after <= MIN_UNPAID_UNITS:
            return None
        shop_free = await self._read_shop_free(session)
        max_units = max((shop_free + held) // MAX_SHOP_SHARE, MIN_SHOP_SHARE_UNITS)
        if held + count > max_units:
            return self._create_total_excess(max_units - held, by_others=False)
        most_unpaid = (shop_free + self.shop_unpaid) // MAX_UNPAID_SHARE
        if unpaid_after > max(most_unpaid, MIN_UNPAID_UNITS):
            return self._create_total_excess(SMALL_PURCHASE_UNITS, by_others=True)
        return None

    async def _read_shop_free(self, session: AsyncSession) -> int:
        return int((await session.execute(_SHOP_FREE, {"holder": self.cart_id})).scalar_one())

    async def _read_unpaid_by_variant(self, session: AsyncSession) -> Counter[str]:
        """Return the units of the purchase's variants that unpaid payments of other carts hold, by variant id."""
        params = {"holder": self.cart_id, "variant_ids": list(self.sale.units)}
        rows = (await session.execute(_UNPAID_BY_VARIANT, params)).all()
        return Counter({variant: int(units) for variant, units in rows})

    async def _require_unclaimed(self, session: AsyncSession, free: Mapping[str, int]) -> None:
        """Check that enough units are left for a purchase that holds none.

        Units of other unpaid purchases are subtracted. All purchases of one address count with at most
        `SMALL_PURCHASE_UNITS` of each variant, but the client's own purchases count in full. While unpaid payments
        hold more than 1/`ATTACK_SHARE` of the shop's units, only the client's own purchases are subtracted.

        Raises:
            InsufficientStock: too few units are left.
        """
        requested = self.sale.units
        if any(self.unheld[variant] + units > free[variant] for variant, units in requested.items()):
            raise InsufficientStock(STOCK_GONE)
        if self.shop_unpaid > MIN_UNPAID_UNITS:
            shop_free = await self._read_shop_free(session)
            if self.shop_unpaid > (shop_free + self.shop_unpaid) // ATTACK_SHARE:
                return
        waiting: dict[str, Counter[str]] = {}
        for address, units in await session.execute(_WAITING_UNITS, {"session_id": self.session_id}):
            waiting.setdefault(address, Counter()).update(units)
        unpaid = await self._read_unpaid_by_variant(session)
        for variant, count in requested.items():
            claimed = sum(min(units[variant], SMALL_PURCHASE_UNITS) for units in waiting.values())
            if claimed + count > free[variant] + unpaid[variant]:
                raise InsufficientStock(STOCK_GONE)

    def _create_variant_excess(self, variant: str, most: int, *, by_others: bool = False) -> HoldTooLarge:
        most = max(most - self.held[variant], SMALL_PURCHASE_UNITS)
        title = next(line.title for line in self.sale.lines if line.variant_id == variant)
        text = _(
            "Mientras no esté pagado podemos apartarte hasta {most} unidades de «{title}». "
            "Ajusta tu carrito o escríbenos si necesitas más."
        )
        return self._create_excess(
            TOO_MANY_OF_VARIANT.format(most=most, title=title),
            text.format(most=most, title=title),
            by_others=by_others,
        )

    def _create_total_excess(self, most: int, *, by_others: bool) -> HoldTooLarge:
        most = max(most, SMALL_PURCHASE_UNITS)
        text = _(
            "Mientras no esté pagado podemos apartarte hasta {most} unidades más. "
            "Ajusta tu carrito o escríbenos si necesitas más."
        )
        return self._create_excess(
            TOO_MANY_UNITS.format(most=most), text.format(most=most), by_others=by_others
        )

    def _create_excess(self, message: str, shopper_text: str, *, by_others: bool) -> HoldTooLarge:
        own_units = self.held.total() + self.unheld.total()
        notice = _(
            "Alguien que ya aparta {own} unidades sin pagar pidió {more} más. En total hay {all} unidades apartadas."
        ).format(own=own_units, more=sum(self.sale.units.values()), all=self.shop_unpaid)
        return HoldTooLarge(message, shopper_text, is_repeated=bool(own_units) or by_others, notice=notice)


async def report_excess(session: AsyncSession, excess: HoldTooLarge) -> None:
    """Raise an alert for the owner: a client holds much stock without paying."""
    await raise_alert(session, AlertKind.STOCK_HELD, "", excess.notice)


async def admit_hold(
    session: AsyncSession,
    free: Mapping[str, int],
    *,
    client: HoldClient,
    payment: PaymentSession,
    cart_id: str,
    sale: Sale,
) -> datetime | None:
    """Check whether a new payment may reserve its units. If it may, store the end of the reservation in the payment.

    Args:
        session: the caller's transaction; the client and the levels are locked.
        free: units by variant id that are not reserved, including the cart's earlier reservation.
        client: the client that starts the payment.
        payment: the stored payment session.
        cart_id: the cart that it pays.
        sale: the content of the purchase.

    Returns:
        The end of the reservation; None if the purchase continues without a reservation.

    Raises:
        InsufficientStock: too few units are free, or other purchases wait for them.
        HoldTooLarge: the purchase exceeds the limits of reservations.
    """
    holds = await _read_client_holds(session, client, payment, cart_id, sale)
    if not await holds.admit(session, free):
        return None
    payment.expires_at = holds.until
    return holds.until


async def _read_client_holds(
    session: AsyncSession, client: HoldClient, payment: PaymentSession, cart_id: str, sale: Sale
) -> ClientHolds:
    params: dict[str, Any] = {**client.values(), "session_id": payment.id, "holder": cart_id}
    rows = (await session.execute(_HOLDS, params)).all()
    moment, shop_unpaid = rows[0][6], int(rows[0][7])
    holds = ClientHolds(payment.id, cart_id, sale, payment.expires_at, shop_unpaid)
    start_times = [moment]
    for id_, state, created_at, expires_at, units, holds_stock, *_rest in rows:
        if id_ == payment.id or state == SessionState.CAPTURED:
            continue
        if state in _WAITING and expires_at > moment:
            (holds.held if holds_stock else holds.unheld).update(units)
        if holds_stock and state not in _NO_RENEWAL and not units.keys().isdisjoint(sale.units):
            start_times.append(created_at)
    until = min(payment.expires_at or moment, min(start_times) + MAX_TOTAL_TIME)
    holds.until = until if until - moment >= MIN_HOLD_TIME else None
    return holds
