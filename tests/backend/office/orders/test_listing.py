"""The list of orders and one order, as the office shows them."""

from datetime import UTC, date, datetime

import httpx
import pytest
from sqlalchemy import update

from backend.app import Shop
from backend.core.errors import Forbidden, NotFound
from backend.fulfillment.bulk_fulfillment import send_rest, ship_order
from backend.office.orders.detail import OrderDetail, order_detail
from backend.office.orders.listing import (
    OrdersView,
    count_newer,
    filter_of,
    orders_named,
    orders_view,
    rows_again,
)
from backend.office.orders.timeline import who_last
from backend.orders.admin.corrections import add_note
from backend.orders.models import Order
from backend.orders.search import cursor_after
from backend.payment.providers.base import ProviderState
from backend.staff.models import Staff
from backend.staff.rights import RIGHTS, Actor, Role
from tests.backend.orders.paying import at_the_bank, order_row, said
from tests.store_defaults import Defaults, make_toy
from tests.store_steps import bought

OWNER = Actor("user_1", Role.OWNER)
TODAY = date(2026, 11, 21)


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await make_toy(session, shop_defaults, "trompo", stock=50, price=40_000)


async def listed(shop: Shop, **asked: str) -> OrdersView:
    async with shop.database.read() as session:
        return await orders_view(session, OWNER, asked)


async def detail(shop: Shop, order_id: str, actor: Actor = OWNER) -> OrderDetail:
    async with shop.database.read() as session:
        return await order_detail(session, actor, order_id, "Trompo")


async def paid(shop: Shop, store: httpx.AsyncClient, trompo: str) -> str:
    order_id, payment = await at_the_bank(shop, store, trompo, 2)
    await said(shop, payment, ProviderState.CAPTURED)
    return order_id


@pytest.mark.parametrize(
    ("asked", "since", "until"),
    [
        ({"fecha": "hoy"}, "2026-11-21T05:00", "2026-11-22T05:00"),
        ({"fecha": "ayer"}, "2026-11-20T05:00", "2026-11-21T05:00"),
        ({"fecha": "semana"}, "2026-11-15T05:00", "2026-11-22T05:00"),
        ({"desde": "2026-01-02", "hasta": "2026-01-02"}, "2026-01-02T05:00", "2026-01-03T05:00"),
        ({"fecha": "siempre", "desde": "x", "hasta": "9999-12-31"}, None, None),
    ],
)
def test_days_are_those_of_colombia(asked: dict[str, str], since: str | None, until: str | None) -> None:
    wanted = filter_of(asked, TODAY)
    expected = [datetime.fromisoformat(one).replace(tzinfo=UTC) if one else None for one in (since, until)]
    assert [wanted.since, wanted.until] == expected


async def test_the_list_says_what_is_asked_for_and_how_each_stands(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    await paid(shop, store, trompo)
    await bought(store, trompo, 1, price_type="flat")
    everything = await listed(shop)
    assert [(row.number, row.buyer, row.is_pickup) for row in everything.rows] == [
        (2, "Ana Gómez", True),
        (1, "Ana Gómez", True),
    ]
    assert [[chip.text for chip in row.chips] for row in everything.rows] == [
        ["Por confirmar"],
        ["Pagado", "Por empacar"],
    ]
    assert everything.active == []
    some = await listed(shop, pago="pagado", envio="por-empacar", q="ana", fecha="hoy", nonsense="x")
    assert [row.number for row in some.rows] == [1]
    assert [one.label for one in some.active] == ["«ana»", "Hoy", "Pagado", "Por empacar"]
    assert some.active[2].without == "?q=ana&fecha=hoy&envio=por-empacar"
    assert (await listed(shop, entrega="domicilio")).rows == []
    assert (await listed(shop, pago="nonsense", envio="'", q="\x1b")).rows == []


async def test_what_is_new_is_counted_and_rows_say_how_they_stand_now(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    order_id, payment = await at_the_bank(shop, store, trompo, 1)
    before = await listed(shop)
    await bought(store, trompo)
    await said(shop, payment, ProviderState.CAPTURED)
    async with shop.database.read() as session:
        assert await count_newer(session, OWNER, before.asked, before.newest) == 1
        assert await count_newer(session, OWNER, {"pago": "pagado"}, before.newest) == 0
        assert await count_newer(session, OWNER, {}, "") == 2
        again = await rows_again(session, OWNER, [order_id, "order_nosuch"])
    assert [chip.text for chip in again[order_id].chips] == ["Pagado", "Por empacar"]
    assert before.newest == cursor_after(await order_row(shop, order_id))


async def test_one_order_and_what_can_be_done_with_it(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    order_id, payment = await at_the_bank(shop, store, trompo, 2)
    waiting = await detail(shop, order_id)
    assert waiting.actions == ["correct", "cancel"]
    await said(shop, payment, ProviderState.CAPTURED)
    view = await detail(shop, order_id)
    assert view.actions == ["pack", "correct", "return"]
    assert (view.document, view.phone_path) == ("CC 1020304050", "tel:+573001234567")
    assert view.whatsapp_path.startswith("https://wa.me/573001234567?text=Hola%2C")
    assert [(line.title, line.quantity) for line in view.lines] == [("Trompo", 2)]
    assert view.payment.way.startswith("PSE")
    assert [mail.title for mail in view.mails] == ["Recibimos tu pedido", "Tu pago está confirmado"]
    assert {event.title for event in view.events} == {"Pedido hecho", "El banco aprobó el pago"}
    await send_rest(shop.database, OWNER, shop.settings, shop.fulfillment_providers, order_id)
    packed = await detail(shop, order_id)
    assert packed.actions == ["hand_over", "return"]  # the flat option is the one that is fetched
    assert [parcel.chip.text for parcel in packed.parcels] == ["Listo para recoger"]
    assert "correct" not in packed.actions


async def test_what_may_be_done_depends_on_who_asks(
    shop: Shop, store: httpx.AsyncClient, trompo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    order_id = await paid(shop, store, trompo)
    assert (await detail(shop, order_id, Actor("user_2", Role.ACCOUNTANT))).actions == []
    assert (await detail(shop, order_id, Actor("user_2", Role.STOCKROOM))).actions == ["pack", "correct"]
    with pytest.raises(NotFound):
        await detail(shop, "order_nosuch")
    monkeypatch.setitem(RIGHTS, Role.STOCKROOM, frozenset())
    nobody = Actor("user_2", Role.STOCKROOM)
    with pytest.raises(Forbidden):
        await detail(shop, order_id, nobody)
    async with shop.database.read() as session:
        with pytest.raises(Forbidden):
            await orders_view(session, nobody, {})
        with pytest.raises(Forbidden):
            await rows_again(session, nobody, [])
        with pytest.raises(Forbidden):
            await count_newer(session, nobody, {}, "")


async def test_the_timeline_says_who_did_what(shop: Shop, store: httpx.AsyncClient, trompo: str) -> None:
    order_id = (await bought(store, trompo, 1, price_type="calculated"))["id"]
    async with shop.database.transaction() as session:
        lina = Staff(email="lina@trompo.example", password_hash="never used", role=Role.STOCKROOM)
        session.add(lina)
        await session.flush()
        actor = Actor(lina.id, Role.STOCKROOM)
        await add_note(session, actor, order_id, "Llamar <b>antes</b>")
    await send_rest(shop.database, actor, shop.settings, shop.fulfillment_providers, order_id)
    async with shop.database.transaction() as session:
        await ship_order(session, actor, order_id)
        assert (await who_last(session, order_id, ["canceled"])) == ""
    async with shop.database.read() as session:
        assert "lina" in await who_last(session, order_id, ["shipped"])
    events = (await detail(shop, order_id)).events
    assert [(event.title, event.by) for event in events if event.by] == [
        ("Enviado", "lina"),
        ("Empacado, con su guía", "lina"),
        ("Guía pedida", "lina"),
        ("Nota", "lina"),
    ]
    assert events[3].text == "Llamar <b>antes</b>"


async def test_an_address_that_is_no_number_or_name_is_shown_without_a_way_to_call(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    order_id = (await bought(store, trompo))["id"]
    async with shop.database.transaction() as session:
        strange = {"first_name": None, "phone": "javascript:alert(1)", "metadata": None}
        await session.execute(update(Order).values(shipping_address=strange, payer=None))
    view = await detail(shop, order_id)
    assert (view.phone_path, view.whatsapp_path, view.document) == ("", "", "")
    assert view.buyer == "Sin nombre"


async def test_the_search_names_the_newest_orders(shop: Shop, store: httpx.AsyncClient, trompo: str) -> None:
    first, last = await bought(store, trompo), await bought(store, trompo)
    async with shop.database.read() as session:
        by_name = await orders_named(session, OWNER, "góm", 1)
        by_number = await orders_named(session, OWNER, f"#{first['display_id']}", 5)
    assert [row.id for row in by_name] == [last["id"]]
    assert [row.id for row in by_number] == [first["id"]]
