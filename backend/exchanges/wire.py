"""Conversion of exchanges to the platform's shape."""

from collections.abc import Sequence
from typing import cast

from sqlalchemy.ext.asyncio import AsyncSession

from backend.cart.contents import Contents, read_contents
from backend.cart.shipping_method import find_shipping_method
from backend.cart.totals import read_discounted_totals
from backend.core.errors import InvalidData
from backend.core.money import Cop
from backend.draft_orders.models import DraftOrder
from backend.edge.query import Fields
from backend.edge.wire import JsonDict, derive_sibling_id, iso, stamps, with_raw_amounts
from backend.exchanges.answers import AdditionalItem, DifferenceDue, ExchangeOut
from backend.exchanges.models import Exchange, ExchangeStatus
from backend.exchanges.preparation import find_inbound_draft
from backend.exchanges.settlement import compute_credit
from backend.orders.answers import OrderPreview
from backend.orders.models import OrderLine
from backend.orders.service import list_order_lines, read_order
from backend.orders.wire.orders import OrderView
from backend.orders.wire.staff import orders_for_staff
from backend.returns.answers import ReturnOut
from backend.returns.wire import build_order_preview, read_return_wire
from backend.staff.rights import Actor

ACTION = "ordchact"
"""Prefix of the ids of actions."""
ADD_ITEM, ADD_METHOD = "ITEM_ADD", "SHIPPING_ADD"


async def exchange_wire(session: AsyncSession, exchange: Exchange) -> ExchangeOut:
    """Convert an exchange to its API shape, with the units that come back and those that go out."""
    draft = await session.get_one(DraftOrder, exchange.draft_order_id)
    contents = await read_contents(session, draft.cart_id)
    is_discarded = exchange.requested_at is None and await find_inbound_draft(session, exchange) is None
    returned = None if is_discarded else await read_return_wire(session, exchange.return_id)
    method = await find_shipping_method(session, draft.cart_id)
    is_made = exchange.status == ExchangeStatus.COMPLETED
    sold = await list_order_lines(session, exchange.draft_order_id) if is_made else ()
    difference = await _compute_difference(session, exchange, draft.cart_id, contents, returned)
    return {
        "id": exchange.id,
        "order_id": exchange.order_id,
        "return_id": exchange.return_id,
        "display_id": exchange.number,
        "order_version": 1,
        "created_by": exchange.created_by,
        "no_notification": False,
        "allow_backorder": False,
        "additional_items": _sold_items(exchange, sold) if is_made else _cart_items(exchange, contents),
        "return_items": returned["items"] if returned is not None else [],
        "shipping_methods": [
            {"id": method.id, "name": method.name, **with_raw_amounts({"amount": method.amount})}
        ]
        if method is not None
        else [],
        "canceled_at": iso(exchange.canceled_at),
        "metadata": {
            "status": exchange.status,
            "new_order_id": exchange.draft_order_id if is_made else None,
            "credit": exchange.credit,
        },
        **with_raw_amounts(DifferenceDue(difference_due=difference)),
        **stamps(exchange.created_at, exchange.updated_at),
        "deleted_at": None,
    }


async def exchange_preview_wire(session: AsyncSession, actor: Actor, exchange: Exchange) -> OrderPreview:
    """Return the order for staff, with the exchange as its change: the units that come back, and those that go out."""
    order = await read_order(session, exchange.order_id)
    (shown,) = await orders_for_staff(session, actor, [order], OrderView(Fields(), shows_products=True))
    preview = build_order_preview(shown, await find_inbound_draft(session, exchange))
    change = preview["order_change"]
    if change is None:
        return preview
    actions = [*change["actions"], *await _list_outbound_actions(session, exchange)]
    return cast(
        OrderPreview,
        {
            **preview,
            "order_change": {
                **change,
                "change_type": "exchange",
                "exchange_id": exchange.id,
                "actions": actions,
            },
        },
    )


async def _list_outbound_actions(session: AsyncSession, exchange: Exchange) -> list[JsonDict]:
    cart_id = (await session.get_one(DraftOrder, exchange.draft_order_id)).cart_id
    contents = await read_contents(session, cart_id)
    actions = [
        _action_wire(
            exchange,
            ADD_ITEM,
            line.item.id,
            {
                "variant_id": line.item.variant_id,
                "quantity": line.item.quantity,
                "unit_price": line.variant.price,
            },
        )
        for line in contents.lines
    ]
    if (method := await find_shipping_method(session, cart_id)) is not None:
        details = {"shipping_option_id": method.shipping_option_id, "amount": method.amount}
        actions.append(_action_wire(exchange, ADD_METHOD, method.id, details))
    return actions


def _action_wire(exchange: Exchange, action: str, owner_id: str, details: JsonDict) -> JsonDict:
    return {
        "id": derive_sibling_id(ACTION, owner_id),
        "order_id": exchange.order_id,
        "exchange_id": exchange.id,
        "order_change_id": derive_sibling_id("ordch", exchange.return_id),
        "action": action,
        "reference": "order_exchange",
        "reference_id": exchange.id,
        "internal_note": None,
        "details": {"reference_id": owner_id, "exchange_id": exchange.id, **details},
        "applied": False,
    }


def _cart_items(exchange: Exchange, contents: Contents) -> list[JsonDict]:
    return [
        _item_wire(
            exchange,
            line.item.id,
            line.item.variant_id,
            line.product.title if line.product else "",
            line.item.quantity,
            line.variant.price,
        )
        for line in contents.lines
    ]


def _sold_items(exchange: Exchange, lines: Sequence[OrderLine]) -> list[JsonDict]:
    return [
        _item_wire(exchange, line.id, line.variant_id, line.title, line.quantity, line.unit_price)
        for line in lines
    ]


def _item_wire(  # noqa: PLR0917
    exchange: Exchange, item_id: str, variant_id: str, title: str, quantity: int, price: Cop
) -> JsonDict:
    item: AdditionalItem = {
        "id": derive_sibling_id("oexcitem", item_id),
        "exchange_id": exchange.id,
        "order_id": exchange.order_id,
        "item_id": item_id,
        "quantity": quantity,
        "variant_id": variant_id,
        "title": title,
        "unit_price": price,
        "metadata": None,
    }
    return cast(JsonDict, item)


async def _compute_difference(
    session: AsyncSession,
    exchange: Exchange,
    cart_id: str,
    contents: Contents,
    returned: ReturnOut | None,
) -> Cop | None:
    """Return the total of the new order less the credit; None before both sides are chosen."""
    if exchange.credit is not None:
        return (await read_order(session, exchange.draft_order_id)).total - exchange.credit
    if not contents.lines or returned is None:
        return None
    order = await read_order(session, exchange.order_id)
    units: dict[str, int] = {}
    for item in returned["items"]:
        units[item["item_id"]] = units.get(item["item_id"], 0) + item["quantity"]
    sold = await list_order_lines(session, order.id)
    try:
        credit = await compute_credit(session, order, sold, units, exchange.return_id)
    except InvalidData:
        return None
    totals, _discounts = await read_discounted_totals(session, cart_id, contents)
    return totals.total - credit
