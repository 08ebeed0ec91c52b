"""The screen «Cambiar el pedido»: the order's lines after the open edit, and the difference to pay or to refund."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.storefront.product_cards import line_pictures
from backend.catalog.views import PictureView
from backend.core.clock import now
from backend.core.dates import day_name
from backend.core.errors import InvalidData, ShopError
from backend.core.money import Cop, format_cop
from backend.core.texts import _
from backend.office.customer_labels import whatsapp_path
from backend.order_edits.difference import read_difference
from backend.order_edits.editability import (
    is_difference_owed,
    is_difference_to_refund,
    require_editable,
)
from backend.order_edits.edited_order import EditedLine, EditedOrder, compute_edited_order
from backend.order_edits.editing import NO_EDIT, find_open_edit
from backend.orders.delivery_kinds import DeliveryKind, name_shipping, read_delivery, read_option_kind
from backend.orders.models import Order
from backend.orders.preorders import find_ready_day
from backend.orders.promised_days import compute_edited_promise
from backend.orders.service import compute_order_totals, format_line_detail, read_order
from backend.payment.manual_methods import METHOD_NAMES, ManualMethod
from backend.pricing import CartTotals
from backend.shipping.delivery_promise import parse_promised_day
from backend.staff.rights import Actor, Right


@dataclass(frozen=True, slots=True)
class EditLineView:
    """A line of the order after the edit.

    Attributes:
        id: the id of the order's line, or of the action that adds the units.
        note: how the edit changes its units; empty if it does not.
        problem: why its units cannot be sold; empty if they can.
    """

    id: str
    title: str
    detail: str
    picture: PictureView | None
    quantity: int
    is_new: bool
    note: str
    unit_label: str
    total_label: str
    problem: str


@dataclass(frozen=True, slots=True)
class EditView:
    """An order on the editing screen.

    Attributes:
        edit_id: id of the open edit; empty before the first change.
        refusal: why the order cannot be edited; empty if it can.
        problem: why the edit cannot be saved, although the order can be edited; empty if it can.
        total: the order's total after the edit, in whole pesos.
        difference: sentence with the amount to pay or to refund.
        promise: sentence with the promised day after the edit; empty if the edit does not move it.
        shipping: name and price of the shipping after the edit.
        former_shipping: name and price of the shipping before the edit; empty if the edit does not change them.
        has_shipping_choice: True if the edit chose a shipping option.
        is_shipping_outdated: True if the products or the address changed after the shipping option was chosen, so
            that it must be chosen again.
    """

    order_id: str
    number: int
    edit_id: str
    refusal: str
    problem: str
    lines: list[EditLineView] = field(default_factory=list)
    totals: list[tuple[str, str]] = field(default_factory=list)
    before_label: str = ""
    total: Cop = 0
    total_label: str = ""
    difference: str = ""
    promise: str = ""
    shipping: str = ""
    former_shipping: str = ""
    has_shipping_choice: bool = False
    is_shipping_outdated: bool = False
    is_changed: bool = False
    can_save: bool = False


@dataclass(frozen=True, slots=True)
class DifferenceView:
    """The difference of an edited order, on the order's screen.

    Attributes:
        kind: `owed` if the customer has to pay it, `refund` if the shop has to refund it; empty for no difference.
        amount: whole pesos.
        url: URL of the page on which the customer pays it; empty if it is not owed.
        whatsapp_path: path that opens WhatsApp with a message that links to this page; empty if it is not owed, or
            without a telephone number.
    """

    kind: str = ""
    amount: Cop = 0
    amount_label: str = ""
    url: str = ""
    whatsapp_path: str = ""


def add_difference_link(view: DifferenceView, url: str, phone: str, number: int) -> DifferenceView:
    """Return the view with the link to the payment page and its WhatsApp message; unchanged if nothing is owed."""
    if view.kind != "owed":
        return view
    text = _(
        "Hola, cambiamos tu pedido {number}. La diferencia es {amount} y la puedes pagar aquí: {url}"
    ).format(number=number, amount=view.amount_label, url=url)
    return replace(view, url=url, whatsapp_path=whatsapp_path(phone, text))


def receipt_methods() -> list[tuple[str, str]]:
    """Return the values and names of the methods by which staff receive or refund a difference."""
    return [(str(one), METHOD_NAMES[one]) for one in ManualMethod]


async def edit_view(session: AsyncSession, actor: Actor, order_id: str) -> EditView:
    """Return the order as it will be after its open edit; as it is now, if no edit is open.

    Raises:
        Forbidden: the actor may not edit orders.
        NotFound: the order does not exist.
    """
    actor.require(Right.EDIT_ORDERS)
    order = await read_order(session, order_id)
    edit = await find_open_edit(session, actor, order_id)
    refusal, problem = await _find_refusal(session, order), ""
    kind, _note = await read_delivery(session, order)
    try:
        edited = await compute_edited_order(session, order, edit or NO_EDIT)
    except InvalidData as error:  # added units are no longer for sale
        problem = error.staff_text or _("Un producto agregado ya no está a la venta: descarta el cambio.")
        edited = await compute_edited_order(session, order, NO_EDIT)
    sold = [one.line for one in edited.lines if not one.is_new]
    pictures = await line_pictures(session, [one.line for one in edited.lines])
    labels = {part.id: format_cop(part.original_total) for part in edited.totals.lines}
    totals = edited.totals
    return EditView(
        order_id=order.id,
        number=order.number or 0,
        edit_id=edit.id if edit else "",
        refusal=refusal,
        problem=problem,
        lines=[_line_view(one, edited, labels, pictures.get(one.line.variant_id)) for one in edited.lines],
        totals=[
            (_("Productos"), format_cop(totals.items.original_total)),
            (
                _("Envío") if edited.is_shipping_changed else name_shipping(order, kind),
                format_cop(totals.shipping.original_total),
            ),
            *(
                (_("Descuento {code}").format(code=code), f"-{format_cop(cut)}")
                for code, cut in totals.savings
            ),
            (_("IVA incluido"), format_cop(totals.tax_total)),
        ],
        before_label=format_cop(order.total),
        total=totals.total,
        total_label=format_cop(totals.total),
        difference=_describe_difference(edited),
        promise=await _describe_promise(session, edited, kind),
        shipping=_name_shipping(edited.shipping.name if edited.shipping else order.shipping_name, totals),
        former_shipping=_name_shipping(order.shipping_name, compute_order_totals(order, sold))
        if edited.is_shipping_changed
        else "",
        has_shipping_choice=edited.shipping is not None,
        is_shipping_outdated=edited.is_shipping_outdated,
        is_changed=edited.is_changed,
        can_save=edited.is_changed
        and not (refusal or problem or edited.missing or edited.is_shipping_outdated),
    )


async def read_difference_view(session: AsyncSession, order: Order) -> DifferenceView:
    """Return the difference that is still to pay or to refund after edits; an empty view if there is none."""
    is_owed = await is_difference_owed(session, order.id)
    if not is_owed and not await is_difference_to_refund(session, order.id):
        return DifferenceView()
    amount = abs(await read_difference(session, order))
    return DifferenceView("owed" if is_owed else "refund", amount, format_cop(amount))


async def _find_refusal(session: AsyncSession, order: Order) -> str:
    try:
        await require_editable(session, order)
    except ShopError as error:
        return error.staff_text or _("Este pedido no se puede cambiar.")
    return ""


def _describe_difference(edited: EditedOrder) -> str:
    if edited.owed:
        return _("El comprador paga {amount} más").format(amount=format_cop(edited.owed))
    if edited.surplus:
        return _("Le devuelves {amount}").format(amount=format_cop(edited.surplus))
    return _("No cambia lo que pagó")


def _name_shipping(name: str, totals: CartTotals) -> str:
    known_name = name or _("Se lo lleva")
    return f"{known_name}: {format_cop(totals.shipping.original_total)}"


async def _describe_promise(session: AsyncSession, edited: EditedOrder, kind: DeliveryKind) -> str:
    ready_on, before = find_ready_day(one.line.facts for one in edited.remaining), edited.order.promised_day
    if edited.shipping is not None and edited.is_shipping_changed:
        kind = await read_option_kind(session, edited.shipping.option_id)
        day = parse_promised_day(edited.shipping.build_sold_data(ready_on, now()))
        if day is None and before is not None:
            return _("Con este envío no se promete un día")
    else:
        day = compute_edited_promise(edited.order, ready_on, now())
    if day is None or day == before:
        return ""
    sentence = (
        _("Se podrá recoger desde el {day}")
        if kind is DeliveryKind.PICKUP
        else _("La entrega prometida pasa al {day}")
    )
    return sentence.format(day=day_name(day))


def _line_view(
    one: EditedLine, edited: EditedOrder, labels: Mapping[str, str], picture: PictureView | None
) -> EditLineView:
    note = ""
    if one.is_new:
        note = _("Nuevo")
    elif not one.quantity:
        note = _("Se quita")
    elif one.quantity != one.before:
        note = _("Antes: {n}").format(n=one.before)
    missing = edited.missing.get(one.line.variant_id, 0) if one.quantity else 0
    return EditLineView(
        id=one.line.id,
        title=one.line.title,
        detail=format_line_detail(one.line),
        picture=picture,
        quantity=one.quantity,
        is_new=one.is_new,
        note=note,
        unit_label=format_cop(one.line.unit_price),
        total_label=labels.get(one.line.id, ""),
        problem=_("Faltan {n} en la bodega.").format(n=missing) if missing else "",
    )
