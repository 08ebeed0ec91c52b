"""List and detail of orders in the office."""

from datetime import UTC, date, datetime

import httpx
import pytest
from sqlalchemy import update

from backend.app import Shop
from backend.core.clock import now
from backend.core.errors import Forbidden, NotFound
from backend.fulfillment.bulk_fulfillment import send_remaining_units, ship_order
from backend.office.orders.detail import OrderDetail, order_detail
from backend.office.orders.listing import (
    OrdersView,
    count_newer_orders,
    find_orders_by_text,
    orders_view,
    parse_order_filter,
    read_order_rows,
)
from backend.office.orders.timeline import describe_last_action
from backend.orders.admin.corrections import add_note
from backend.orders.models import Order
from backend.orders.search import make_order_cursor
from backend.payment.providers.base import ProviderState
from backend.returns.models import Return, ReturnKind
from backend.returns.states import ReturnState
from backend.staff.models import Staff
from backend.staff.rights import RIGHTS, Actor, Role
from tests.backend.orders.paying import order_row, place_order_at_bank, report_payment
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase

OWNER = Actor("user_1", Role.OWNER)
TODAY = date(2026, 11, 21)


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=50, price=40_000)


async def list_orders(shop: Shop, **asked: str) -> OrdersView:
    async with shop.database.read() as session:
        return await orders_view(session, OWNER, asked)


async def read_detail(shop: Shop, order_id: str, actor: Actor = OWNER) -> OrderDetail:
    async with shop.database.read() as session:
        return await order_detail(session, actor, order_id, "Trompo")


async def place_captured_order(shop: Shop, store: httpx.AsyncClient, trompo: str) -> str:
    order_id, payment = await place_order_at_bank(shop, store, trompo, 2)
    await report_payment(shop, payment, ProviderState.CAPTURED)
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
def test_order_day_filter_uses_midnight_in_colombia(
    asked: dict[str, str], since: str | None, until: str | None
) -> None:
    wanted = parse_order_filter(asked, TODAY)
    expected = [datetime.fromisoformat(one).replace(tzinfo=UTC) if one else None for one in (since, until)]
    assert [wanted.since, wanted.until] == expected


async def test_list_filters_orders_and_shows_their_status(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    await place_captured_order(shop, store, trompo)
    await complete_purchase(store, trompo, 1, price_type="flat")
    everything = await list_orders(shop)
    assert [(row.number, row.customer_name, row.is_pickup) for row in everything.rows] == [
        (2, "Ana Gómez", True),
        (1, "Ana Gómez", True),
    ]
    assert [[chip.text for chip in row.chips] for row in everything.rows] == [
        ["Por confirmar"],
        ["Pagado", "Por empacar"],
    ]
    assert everything.active == []
    some = await list_orders(shop, pago="pagado", envio="por-empacar", q="ana", fecha="hoy", nonsense="x")
    assert [row.number for row in some.rows] == [1]
    assert [one.label for one in some.active] == ["«ana»", "Hoy", "Pagado", "Por empacar"]
    assert some.active[2].without == "?q=ana&fecha=hoy&envio=por-empacar"
    assert (await list_orders(shop, entrega="domicilio")).rows == []
    assert (await list_orders(shop, pago="nonsense", envio="'", q="\x1b")).rows == []


async def test_new_orders_are_counted_and_shown_rows_are_updated(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    order_id, payment = await place_order_at_bank(shop, store, trompo, 1)
    before = await list_orders(shop)
    await complete_purchase(store, trompo)
    await report_payment(shop, payment, ProviderState.CAPTURED)
    async with shop.database.read() as session:
        assert await count_newer_orders(session, OWNER, before.filters, before.newest) == 1
        assert await count_newer_orders(session, OWNER, {"pago": "pagado"}, before.newest) == 0
        assert await count_newer_orders(session, OWNER, {}, "") == 2
        again = await read_order_rows(session, OWNER, [order_id, "order_nosuch"])
    assert [chip.text for chip in again[order_id].chips] == ["Pagado", "Por empacar"]
    assert before.newest == make_order_cursor(await order_row(shop, order_id))


async def test_order_detail_shows_possible_actions(shop: Shop, store: httpx.AsyncClient, trompo: str) -> None:
    order_id, payment = await place_order_at_bank(shop, store, trompo, 2)
    waiting = await read_detail(shop, order_id)
    assert waiting.actions == ["correct", "cancel"]
    await report_payment(shop, payment, ProviderState.CAPTURED)
    view = await read_detail(shop, order_id)
    assert view.actions == ["pack", "correct", "return", "edit"]
    assert (view.document, view.phone_path) == ("CC 1020304050", "tel:+573001234567")
    assert view.whatsapp_path.startswith("https://wa.me/573001234567?text=Hola%2C")
    assert [(line.title, line.quantity) for line in view.lines] == [("Trompo", 2)]
    assert view.payment.method.startswith("PSE")
    assert [mail.title for mail in view.mails] == ["Recibimos tu pedido", "Tu pago está confirmado"]
    assert {event.title for event in view.events} == {"Pedido hecho", "El banco aprobó el pago"}
    await send_remaining_units(shop.database, OWNER, shop.settings, shop.fulfillment_providers, order_id)
    packed = await read_detail(shop, order_id)
    assert packed.actions == ["hand_over", "return"]  # the flat option is the one that is fetched
    assert [parcel.chip.text for parcel in packed.parcels] == ["Listo para recoger"]
    assert "correct" not in packed.actions


async def test_order_with_an_open_return_is_not_offered_for_editing(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    order_id = await place_captured_order(shop, store, trompo)
    async with shop.database.transaction() as session:  # the label of its units was cancelled afterwards
        session.add(
            Return(
                order_id=order_id,
                kind=ReturnKind.WITHDRAWAL,
                state=ReturnState.REQUESTED,
                asked_at=now(),
                due_at=now(),
            )
        )
    actions = (await read_detail(shop, order_id)).actions
    assert "pack" in actions
    assert "edit" not in actions


async def test_possible_actions_depend_on_the_role(
    shop: Shop, store: httpx.AsyncClient, trompo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    order_id = await place_captured_order(shop, store, trompo)
    assert (await read_detail(shop, order_id, Actor("user_2", Role.ACCOUNTANT))).actions == []
    assert (await read_detail(shop, order_id, Actor("user_2", Role.STOCKROOM))).actions == ["pack", "correct"]
    with pytest.raises(NotFound):
        await read_detail(shop, "order_nosuch")
    monkeypatch.setitem(RIGHTS, Role.STOCKROOM, frozenset())
    nobody = Actor("user_2", Role.STOCKROOM)
    with pytest.raises(Forbidden):
        await read_detail(shop, order_id, nobody)
    async with shop.database.read() as session:
        with pytest.raises(Forbidden):
            await orders_view(session, nobody, {})
        with pytest.raises(Forbidden):
            await read_order_rows(session, nobody, [])
        with pytest.raises(Forbidden):
            await count_newer_orders(session, nobody, {}, "")


async def test_timeline_shows_actors_and_actions(shop: Shop, store: httpx.AsyncClient, trompo: str) -> None:
    order_id = (await complete_purchase(store, trompo, 1, price_type="calculated"))["id"]
    async with shop.database.transaction() as session:
        lina = Staff(email="lina@trompo.example", password_hash="never used", role=Role.STOCKROOM)
        session.add(lina)
        await session.flush()
        actor = Actor(lina.id, Role.STOCKROOM)
        await add_note(session, actor, order_id, "Llamar <b>antes</b>")
    await send_remaining_units(shop.database, actor, shop.settings, shop.fulfillment_providers, order_id)
    async with shop.database.transaction() as session:
        await ship_order(session, actor, order_id)
        assert (await describe_last_action(session, order_id, ["canceled"])) == ""
    async with shop.database.read() as session:
        assert "lina" in await describe_last_action(session, order_id, ["shipped"])
    events = (await read_detail(shop, order_id)).events
    assert [(event.title, event.actor_name) for event in events if event.actor_name] == [
        ("Enviado", "lina"),
        ("Empacado, con su guía", "lina"),
        ("Guía pedida", "lina"),
        ("Nota", "lina"),
    ]
    assert events[3].text == "Llamar <b>antes</b>"


async def test_address_without_name_and_phone_has_no_phone_link(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    order_id = (await complete_purchase(store, trompo))["id"]
    async with shop.database.transaction() as session:
        strange = {"first_name": None, "phone": "javascript:alert(1)", "metadata": None}
        await session.execute(
            update(Order).values(shipping_address=strange, billing_address=strange, payer=None)
        )
    view = await read_detail(shop, order_id)
    assert (view.phone_path, view.whatsapp_path, view.document) == ("", "", "")
    assert view.customer_name == "Sin nombre"


async def test_search_returns_the_newest_orders(shop: Shop, store: httpx.AsyncClient, trompo: str) -> None:
    first, last = await complete_purchase(store, trompo), await complete_purchase(store, trompo)
    async with shop.database.read() as session:
        by_name = await find_orders_by_text(session, OWNER, "góm", 1)
        by_number = await find_orders_by_text(session, OWNER, f"#{first['display_id']}", 5)
    assert [row.id for row in by_name] == [last["id"]]
    assert [row.id for row in by_number] == [first["id"]]
