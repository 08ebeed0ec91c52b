"""The screen «Vender»: the sale that a staff member is preparing, at current prices."""

from dataclasses import dataclass, field, replace

from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.access import read_cart
from backend.cart.models import Cart
from backend.cart.shipping_method import find_shipping_method
from backend.cart.staff_discounts import is_discount_valid
from backend.cart.views import CartLine, CartView, read_cart_view
from backend.core.dates import time_label
from backend.core.money import Cop, format_cop
from backend.core.texts import _, format_count
from backend.core.web.contact import full_name
from backend.draft_orders.drafts import find_current_draft
from backend.draft_orders.links import LinkState, WaitingLink, list_waiting
from backend.draft_orders.models import DraftOrder
from backend.media.picture_urls import encode_picture_url
from backend.orders.models import Order
from backend.orders.origins import ORIGIN_NAMES, OrderOrigin
from backend.payment.manual_methods import METHOD_NAMES, ManualMethod
from backend.shipping.addresses import format_address_lines
from backend.shipping.models import ShippingOption
from backend.shipping.terms.own_delivery import describe_option, is_pickup
from backend.staff.rights import Actor, Right

SOLD_IN = (OrderOrigin.COUNTER, OrderOrigin.PHONE, OrderOrigin.WHATSAPP)


@dataclass(frozen=True, slots=True)
class SaleLine:
    """A line of the sale.

    Attributes:
        detail: the variant's name.
        most: number of units that can be sold.
        problem: the problem with the stock, in words; empty if there is none.
    """

    id: str
    title: str
    detail: str
    picture: str
    quantity: int
    most: int
    unit_label: str
    total_label: str
    problem: str


@dataclass(frozen=True, slots=True)
class LinkView:
    """A new payment link: its address, and the address that opens WhatsApp with the message."""

    url: str
    whatsapp_url: str
    total_label: str
    mailed_to: str = ""
    """E-mail address to which the link was sent; empty if it was not mailed."""


@dataclass(frozen=True, slots=True)
class WaitingSale:
    """A sale with a payment link that is not paid yet; the link may have expired."""

    id: str
    total_label: str
    units_label: str
    state_label: str
    made_label: str
    can_withdraw: bool


@dataclass(frozen=True, slots=True)
class SaleView:
    """The sale in progress. `id` is empty before the first product.

    Attributes:
        discount: pesos of the seller's discount; 0 if there is none, or if it no longer applies.
        address: lines of the pickup point, or of the delivery address; empty if the customer takes the products along.
        shipping: the chosen option with its price; empty without one.
        has_problem: True if a line cannot be sold.
    """

    id: str = ""
    origin: str = OrderOrigin.COUNTER
    lines: list[SaleLine] = field(default_factory=list)
    subtotal_label: str = ""
    savings: list[tuple[str, str]] = field(default_factory=list)
    discount: Cop = 0
    discount_reason: str = ""
    address: list[str] = field(default_factory=list)
    shipping: str = ""
    shipping_label: str = ""
    total: Cop = 0
    total_label: str = ""
    tax_label: str = ""
    has_problem: bool = False
    is_ready: bool = False
    """True if it can be paid."""
    sees_customers: bool = False
    """True if the staff member may choose one of the shop's customers."""
    customer: str = ""
    """E-mail address of the chosen customer; empty without one, or if the staff member may not see customers."""
    waiting: list[WaitingSale] = field(default_factory=list)
    """The newest sales with an unpaid payment link, of all sellers."""


def origin_options() -> list[tuple[str, str]]:
    """Return the places where a sale can have happened, each as value and name."""
    return [(str(one), ORIGIN_NAMES[one]) for one in SOLD_IN]


def method_options() -> list[tuple[str, str]]:
    """Return the methods by which staff receive money, each as value and name."""
    return [(str(one), METHOD_NAMES[one]) for one in ManualMethod]


async def sale_view(session: AsyncSession, actor: Actor) -> SaleView:
    """Return the sale that the staff member is preparing."""
    actor.require(Right.READ_ORDERS)
    draft = await find_current_draft(session, actor)
    waiting = [_to_waiting(one) for one in await list_waiting(session, actor)]
    if draft is None:
        return SaleView(waiting=waiting)
    cart = await read_cart(session, draft.cart_id)
    view = await read_cart_view(session, cart.id)
    sees_customers = actor.may(Right.READ_CUSTOMERS)
    return replace(
        _to_sale_view(draft, cart, view),
        address=await describe_destination(session, cart),
        sees_customers=sees_customers,
        customer=(cart.email or "") if sees_customers else "",
        waiting=waiting,
    )


_STATE_LABELS = {
    LinkState.OPEN: _("Por pagar"),
    LinkState.EXPIRED: _("Venció"),
    LinkState.WAITING: _("En el banco"),
    LinkState.FAILED: _("No se aprobó"),
}


def _to_waiting(link: WaitingLink) -> WaitingSale:
    return WaitingSale(
        id=link.draft_id,
        total_label=format_cop(link.total),
        units_label=format_count(link.units, _("{n} unidad"), _("{n} unidades")),
        state_label=_STATE_LABELS.get(link.state, ""),
        made_label=time_label(link.made_at),
        can_withdraw=link.state in (LinkState.OPEN, LinkState.EXPIRED),
    )


def _to_sale_view(draft: DraftOrder, cart: Cart, view: CartView) -> SaleView:
    lines = [to_sale_line(line) for line in view.lines]
    has_problem = any(line.problem for line in lines)
    applies = is_discount_valid(cart, _count_units(view))
    return SaleView(
        id=draft.id,
        origin=cart.origin,
        lines=lines,
        subtotal_label=view.subtotal_label,
        savings=[(one.code, one.amount_label) for one in view.savings],
        discount=cart.staff_discount if applies else 0,
        discount_reason=str(cart.staff_discount_terms.get("reason", "")) if applies else "",
        shipping=view.shipping_name,
        shipping_label=view.shipping_total_label,
        total=view.total,
        total_label=view.total_label,
        tax_label=view.tax_label,
        has_problem=has_problem,
        is_ready=bool(lines)
        and not has_problem
        and (not cart.shipping_address or view.shipping_total is not None),
    )


async def describe_destination(session: AsyncSession, cart: Cart) -> list[str]:
    """Return the lines of the cart's pickup point, otherwise of its address; empty if it has neither."""
    method = await find_shipping_method(session, cart.id)
    option = await session.get(ShippingOption, method.shipping_option_id) if method is not None else None
    if option is not None and is_pickup(option):
        lines = [describe_option(option)]
    else:
        address = cart.shipping_address or {}
        lines = [full_name(address), *format_address_lines(address)] if address else []
    return [line for line in lines if line]


def _count_units(view: CartView) -> dict[str, int]:
    units: dict[str, int] = {}
    for line in view.lines:
        units[line.variant_id] = units.get(line.variant_id, 0) + line.quantity
    return units


def to_sale_line(line: CartLine) -> SaleLine:
    """Return a line of a cart as a line of the sale."""
    problems = {
        "gone": _("Ya no queda ninguno."),
        "short": _("Solo quedan {n}.").format(n=line.max_quantity),
    }
    return SaleLine(
        id=line.id,
        title=line.title,
        detail=line.variant,
        picture=encode_picture_url(line.picture.url) if line.picture else "",
        quantity=line.quantity,
        most=line.max_quantity,
        unit_label=line.unit_price_label,
        total_label=line.line_total_label,
        problem=problems.get(line.problem or "", ""),
    )


@dataclass(frozen=True, slots=True)
class SoldView:
    """A finished sale: its order, and the change to give back."""

    id: str
    number: int
    total_label: str
    method: str
    change_label: str = ""


def sold_view(order: Order, method: ManualMethod, given: Cop | None) -> SoldView:
    """Return the finished sale. `given` are the pesos that the customer gave in cash; None if they were not typed."""
    change = (given or 0) - order.total if method is ManualMethod.CASH and given else 0
    return SoldView(
        id=order.id,
        number=order.number or 0,
        total_label=format_cop(order.total),
        method=METHOD_NAMES[method],
        change_label=format_cop(change) if change > 0 else "",
    )
