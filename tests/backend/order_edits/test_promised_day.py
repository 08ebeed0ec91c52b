"""An edit that adds or removes units of a preorder moves the promised day of the order."""

from datetime import date, timedelta

from sqlalchemy import select, update

from backend.catalog.models import Product, Variant
from backend.core.clock import now
from backend.core.dates import day_name, today_in_colombia
from backend.inventory.models import InventoryLevel
from backend.mail.messages import compose_message
from backend.mail.models import Mail, MailKind
from backend.office.orders.editing import edit_view
from backend.orders.delivery_kinds import DeliveryKind
from backend.orders.promised_days import describe_promise
from backend.shipping.delivery_promise import READY_ON, parse_promised_day
from tests.backend.checkout.paying_kit import PRICE, Till
from tests.backend.draft_orders.selling import SELLER
from tests.backend.order_edits.editing_kit import confirm, place_paid_order, write_edit

DAY = today_in_colombia(now()) + timedelta(days=20)


async def make_preorder(till: Till, day: date = DAY) -> str:
    """Return a variant with five units that arrive on `day`."""
    variant = await till.make_variant("nave", stock=0)
    async with till.database.transaction() as session:
        product = select(Variant.product_id).where(Variant.id == variant).scalar_subquery()
        dated = update(Product).where(Product.id == product)
        await session.execute(dated.values(preorder_day=day, preorder_units=5))
        level = update(InventoryLevel).where(InventoryLevel.variant_id == variant)
        await session.execute(level.values(incoming=5))
    return variant


async def test_added_preorder_makes_the_promised_day_later(till: Till) -> None:
    trompo, ship = await till.make_variant(stock=5), await make_preorder(till)
    order = await place_paid_order(till, trompo)
    assert order.promised_day is not None
    assert order.promised_day < DAY
    edit = await write_edit(till, order, added={ship: 1})
    async with till.database.read() as session:
        shown = await edit_view(session, SELLER, order.id)
    edited = await confirm(till, edit)
    assert edited.promised_day is not None
    assert edited.promised_day >= DAY
    assert edited.shipping_data[READY_ON] == DAY.isoformat()
    assert parse_promised_day(edited.shipping_data) == edited.promised_day
    assert describe_promise(edited, DeliveryKind.PICKUP, now()).delay == ""
    day = day_name(edited.promised_day)
    assert shown.promise == f"Se podrá recoger desde el {day}"
    async with till.database.transaction() as session:
        mail = (await session.execute(select(Mail).where(Mail.kind == MailKind.ORDER_EDITED))).scalar_one()
        message = await compose_message(session, till.checkout.settings, mail)
    assert message is not None
    assert message.values["promise"] == ""  # the difference is owed


async def test_removed_preorder_restores_the_earlier_promised_day(till: Till) -> None:
    trompo, ship = await till.make_variant(stock=5), await make_preorder(till)
    order = await place_paid_order(till, trompo)
    plain_day = order.promised_day
    await confirm(till, await write_edit(till, order, added={ship: 1}))
    edited = await confirm(till, await write_edit(till, order, quantities={ship: 0}), PRICE)
    assert edited.promised_day == plain_day
    assert READY_ON not in edited.shipping_data


async def test_edit_without_preorders_keeps_the_promised_day(till: Till) -> None:
    trompo = await till.make_variant(stock=5)
    order = await place_paid_order(till, trompo)
    edit = await write_edit(till, order, added={trompo: 1})
    async with till.database.read() as session:
        assert (await edit_view(session, SELLER, order.id)).promise == ""
    edited = await confirm(till, edit)
    assert (edited.promised_day, edited.shipping_data) == (order.promised_day, order.shipping_data)


async def test_units_of_a_later_preorder_get_a_separate_line(till: Till) -> None:
    trompo = await till.make_variant(stock=1)
    order = await place_paid_order(till, trompo)
    async with till.database.transaction() as session:
        await session.execute(update(Product).values(preorder_day=DAY, preorder_units=5))
        await session.execute(update(InventoryLevel).values(incoming=5))
    edited = await confirm(till, await write_edit(till, order, added={trompo: 1}))
    assert edited.shipping_data[READY_ON] == DAY.isoformat()
