"""Helpers for edits of paid orders."""

from collections.abc import Mapping

from sqlalchemy import select

from backend.fulfillment.commands import CreateFulfillment
from backend.fulfillment.packing import fulfill
from backend.order_edits.confirmation import confirm_edit
from backend.order_edits.difference import DifferenceReceipt, receive_difference
from backend.order_edits.editing import add_variant, open_edit, preview_edit, set_line_quantity
from backend.order_edits.models import OrderEdit
from backend.order_edits.shipping_choice import choose_edit_shipping
from backend.orders.models import Order
from backend.orders.service import list_order_lines
from backend.payment.manual_methods import ManualMethod
from backend.payment.models import PaymentSession
from backend.payment.providers.base import ProviderState
from backend.payment.sessions import list_payment_sessions
from backend.shipping.models import ShippingOption
from backend.staff.rights import Actor
from tests.backend.checkout.paying_kit import Till
from tests.backend.draft_orders.selling import SELLER


async def place_paid_order(till: Till, variant: str, quantity: int = 1) -> Order:
    """Place an order and confirm its payment at the bank. Return the paid order."""
    order, payment = await till.order(variant, quantity)
    await till.decide(payment, ProviderState.CAPTURED)
    return await till.read_order(order.id)


async def write_edit(
    till: Till,
    order: Order,
    *,
    added: Mapping[str, int] | None = None,
    quantities: Mapping[str, int] | None = None,
    actor: Actor = SELLER,
) -> OrderEdit:
    """Write an edit of the order: add new units, and change the units of lines. Both mappings have variant ids as keys.

    The edit is opened if there is none. Return it.
    """
    async with till.database.transaction() as session:
        edit = await open_edit(session, actor, order.id)
        lines = {line.variant_id: line.id for line in await list_order_lines(session, order.id)}
        for variant, units in (quantities or {}).items():
            await set_line_quantity(session, actor, edit.id, lines[variant], units)
        for variant, units in (added or {}).items():
            await add_variant(session, actor, edit.id, variant, units)
        return edit


async def confirm(till: Till, edit: OrderEdit, total: int | None = None, actor: Actor = SELLER) -> Order:
    async with till.database.transaction() as session:
        await confirm_edit(session, actor, edit.id, expected_total=total)
    return await till.read_order(edit.order_id)


async def read_total(till: Till, edit: OrderEdit) -> int:
    async with till.database.read() as session:
        return (await preview_edit(session, SELLER, edit.id)).totals.total


async def receive(
    till: Till,
    order: Order,
    amount: int,
    method: ManualMethod = ManualMethod.CASH,
    actor: Actor = SELLER,
) -> PaymentSession:
    async with till.database.transaction() as session:
        reference = "" if method is ManualMethod.CASH else "R-1"
        return await receive_difference(
            session, actor, order.id, DifferenceReceipt(amount, method, reference)
        )


async def list_edits(till: Till) -> list[OrderEdit]:
    async with till.database.read() as session:
        return list((await session.execute(select(OrderEdit).order_by(OrderEdit.id))).scalars())


async def list_payments(till: Till, order: Order) -> list[PaymentSession]:
    async with till.database.read() as session:
        return list(await list_payment_sessions(session, order.cart_id))


async def find_option(till: Till, provider_id: str) -> str:
    """Return the id of this provider's shipping option."""
    async with till.database.read() as session:
        query = select(ShippingOption.id).where(ShippingOption.provider_id == provider_id)
        return (await session.execute(query)).scalar_one()


async def choose_shipping(
    till: Till, order: Order, provider_id: str, expected: int | None = None, actor: Actor = SELLER
) -> OrderEdit:
    """Choose the option of this provider in the open edit of the order."""
    async with till.database.transaction() as session:
        edit = await open_edit(session, SELLER, order.id)
    option_id = await find_option(till, provider_id)
    await choose_edit_shipping(till.checkout, actor, edit.id, option_id, expected)
    return edit


async def pack_order(till: Till, order: Order) -> None:
    """Fulfill all units of the order."""
    async with till.database.read() as session:
        units = {line.id: line.quantity for line in await list_order_lines(session, order.id)}
    await fulfill(
        till.database,
        SELLER,
        till.checkout.settings,
        till.checkout.fulfillment_providers,
        order.id,
        CreateFulfillment(units=units),
    )
