"""Words for orders by pickup and by own delivery: mails, order page, office, slips and staff's outcomes."""

import re
from datetime import date

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.catalog.models import Variant
from backend.content.brand import read_brand
from backend.fulfillment.bulk_fulfillment import hand_over, send_remaining_units, ship_order
from backend.fulfillment.cancellation import cancel_fulfillment
from backend.fulfillment.delivery import mark_delivered_by_hand
from backend.fulfillment.printing import render_packing_slips
from backend.jobs import Worker
from backend.mail.mailer import Mailer
from backend.office.deliveries.form import parse_point_form, parse_zone_form
from backend.office.deliveries.page import deliveries_page
from backend.office.deliveries.saving import save_point, save_zone
from backend.office.orders.detail import OrderDetail, order_detail
from backend.office.orders.listing import orders_view
from backend.office.orders.packing import pack_view
from backend.orders.models import Fulfillment, Order
from backend.orders.promised_days import describe_promise_for_staff
from backend.orders.states import FulfillmentStatus, PaymentStatus
from backend.shipping.delivery_promise import PROMISED_DAY, DeliveryTerms, add_delivery_terms
from backend.shipping.models import ShippingOption
from backend.staff.rights import COMMAND_LINE
from backend.storefront_views.order_page import OrderView, order_view
from tests.backend.mail.conftest import Inbox, text_of
from tests.backend.office.deliveries.test_saving import POINT, ZONE
from tests.store_defaults import Defaults, add_product
from tests.store_steps import create_addressed_cart, create_payment_collection, post

CARRIER_WORDS = re.compile(r"gu[ií]a|transportadora|env[ií]|despach", re.IGNORECASE)


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@pytest.fixture
def worker(shop: Shop, inbox: Inbox) -> Worker:
    """Return a worker that sends the mails to the inbox."""
    return Worker(shop.database, [Mailer(shop.database, shop.settings, inbox)])


@pytest.fixture
async def options(shop: Shop, shop_defaults: Defaults) -> dict[str, str]:
    """Return the ids of an option for pickup, with address and hours, and of a zone of own delivery."""
    async with shop.database.transaction() as session:
        zone = await save_zone(session, COMMAND_LINE, {}, parse_zone_form({**ZONE, "free_from": ""}))
        page = await deliveries_page(session, COMMAND_LINE, shop.settings, ["own_delivery"])
        [row] = page.points
        form = parse_point_form(POINT)
        version = row.form.version
        point = await save_point(session, COMMAND_LINE, {}, form, option_id=row.id, version=version)
        await add_product(session, shop_defaults, "trompo", stock=9)
        return {"pickup": point.id, "own": zone.id}


async def place_order(shop: Shop, store: httpx.AsyncClient, option_id: str) -> str:
    """Buy a product with this shipping option, and confirm its payment. Return the order's id."""
    async with shop.database.read() as session:
        variant = (await session.execute(select(Variant.id))).scalars().first()
        assert await session.get(ShippingOption, option_id)
    cart_id = await create_addressed_cart(store, str(variant))
    await post(store, f"/store/carts/{cart_id}/shipping-methods", {"option_id": option_id})
    await create_payment_collection(store, cart_id)
    return str((await post(store, f"/store/carts/{cart_id}/complete"))["order"]["id"])


async def pack(shop: Shop, order_id: str) -> str:
    outcome = await send_remaining_units(
        shop.database, COMMAND_LINE, shop.settings, shop.fulfillment_providers, order_id
    )
    assert outcome.is_done, outcome.text
    return outcome.text


async def pack_outcome(shop: Shop, order_id: str) -> str:
    outcome = await send_remaining_units(
        shop.database, COMMAND_LINE, shop.settings, shop.fulfillment_providers, order_id
    )
    return outcome.text


async def read_views(shop: Shop, order_id: str) -> tuple[OrderView, OrderDetail]:
    async with shop.database.read() as session:
        page = await order_view(session, shop.settings, order_id)
        return page, await order_detail(session, COMMAND_LINE, order_id, "Trompo")


async def find_parcel(shop: Shop, order_id: str) -> str:
    async with shop.database.read() as session:
        query = select(Fulfillment.id).where(Fulfillment.order_id == order_id).order_by(Fulfillment.id.desc())
        return str((await session.execute(query)).scalars().first())


async def test_pickup_order_speaks_of_pickup(
    shop: Shop, store: httpx.AsyncClient, options: dict[str, str], worker: Worker, inbox: Inbox
) -> None:
    order_id = await place_order(shop, store, options["pickup"])
    place = "Calle 10 # 4-20, Medellín · sábado, 9 a. m. a 6 p. m."
    assert await pack(shop, order_id) == "Listo para recoger. Le avisamos al comprador."
    assert (await pack_outcome(shop, order_id)) == "Ya estaba empacado."
    page, detail = await read_views(shop, order_id)
    assert (page.delivery_kind, page.journey) == ("pickup", "to_collect")
    assert " ".join(page.delivery_note.split()) == place
    assert [(one.kind, one.stage) for one in page.fulfillments] == [("pickup", "to_collect")]
    assert [chip.text for chip in detail.chips][-1] == "Listo para recoger"
    assert [parcel.chip.text for parcel in detail.parcels] == ["Listo para recoger"]
    assert " ".join(detail.delivery_note.split()) == place
    await worker.run_due()
    [ready] = [mail for mail in inbox.mails if "listo para recoger" in mail["Subject"]]
    text = " ".join(text_of(ready).split())
    assert f"Recógelo aquí: {place}" in text
    assert not CARRIER_WORDS.search(text)
    async with shop.database.transaction() as session:
        assert (await hand_over(session, COMMAND_LINE, order_id)).text == "Recogido."
    page, detail = await read_views(shop, order_id)
    assert (page.journey, [one.stage for one in page.fulfillments]) == ("picked_up", ["picked_up"])
    assert [chip.text for chip in detail.chips][-1] == "Recogido"
    titles = [event.title for event in detail.events]
    assert {"Recogido", "Listo para recoger"} <= set(titles)
    assert not [title for title in titles if CARRIER_WORDS.search(title)]
    assert "Tu pedido está listo para recoger" in [mail.title for mail in detail.mails]


@pytest.mark.parametrize(
    ("carrier_days", "promised", "offered"),
    [
        (0, "Para recoger desde el ", "Para recoger desde el "),
        (3, "Entrega prometida: ", "Entrega ofrecida: "),
    ],
)
def test_promise_for_staff_speaks_of_pickup_only_for_a_pickup_order(
    carrier_days: int, promised: str, offered: str
) -> None:
    data = add_delivery_terms({PROMISED_DAY: "2026-12-10"}, DeliveryTerms(15, 1, carrier_days))
    order = Order(  # type: ignore[call-arg]
        shipping_data=data,
        promised_day=None,
        payment_status=PaymentStatus.AWAITING,
        fulfillment_status=FulfillmentStatus.NOT_FULFILLED,
    )
    assert (
        describe_promise_for_staff(order)
        == f"{offered}jueves 10 de diciembre, si el pago se aprueba a tiempo"
    )
    order.promised_day = date(2026, 12, 10)
    assert describe_promise_for_staff(order) == f"{promised}jueves 10 de diciembre"


async def test_own_delivery_needs_no_label_and_is_delivered_by_hand(
    shop: Shop, store: httpx.AsyncClient, options: dict[str, str], worker: Worker, inbox: Inbox
) -> None:
    order_id = await place_order(shop, store, options["own"])
    assert await pack(shop, order_id) == "Empacado: falta salir a entregarlo."
    page, detail = await read_views(shop, order_id)
    assert (page.delivery_kind, page.journey) == ("own", "")  # the payment is not confirmed
    assert [one.stage for one in page.fulfillments] == ["packed"]
    assert (detail.is_own, detail.is_pickup, [one.label_path for one in detail.parcels]) == (
        True,
        False,
        [""],
    )
    assert "ship" in detail.actions
    async with shop.database.transaction() as session:
        assert (await ship_order(session, COMMAND_LINE, order_id)).text == "Salió a entregar."
        assert (await ship_order(session, COMMAND_LINE, order_id)).text == "Ya había salido a entregar."
    await worker.run_due()
    [out] = [mail for mail in inbox.mails if "va en camino" in mail["Subject"]]
    text = " ".join(text_of(out).split())
    assert "Salimos a llevarte tu pedido." in text
    assert "lunes y sábado, 9 a. m. a 6 p. m." in text
    assert "guía" not in text
    page, detail = await read_views(shop, order_id)
    assert (page.journey, [one.stage for one in page.fulfillments]) == ("out", ["out_for_delivery"])
    assert [chip.text for chip in detail.chips][-1] == "Salió a entregar"
    parcel_id = await find_parcel(shop, order_id)
    async with shop.database.transaction() as session:
        assert await mark_delivered_by_hand(session, COMMAND_LINE, order_id, parcel_id, "La recibió Ana")
    page, detail = await read_views(shop, order_id)
    assert (page.journey, [chip.text for chip in detail.chips][-1]) == ("delivered", "Entregado")
    titles = [event.title for event in detail.events]
    assert {"Empacado", "Salió a entregar", "Entregado"} <= set(titles)
    assert not [title for title in titles if CARRIER_WORDS.search(title)]


async def test_unpacked_order_without_a_label_is_packed_again(
    shop: Shop, store: httpx.AsyncClient, options: dict[str, str]
) -> None:
    order_id = await place_order(shop, store, options["own"])
    await pack(shop, order_id)
    parcel_id = await find_parcel(shop, order_id)
    await cancel_fulfillment(shop.database, COMMAND_LINE, shop.fulfillment_providers, order_id, parcel_id)
    page, detail = await read_views(shop, order_id)
    assert [one.stage for one in page.fulfillments] == ["unpacked"]
    assert [parcel.chip.text for parcel in detail.parcels] == ["Desempacado"]
    await pack(shop, order_id)
    _page, detail = await read_views(shop, order_id)
    assert not [event.title for event in detail.events if CARRIER_WORDS.search(event.title)]


async def test_lists_packing_and_slips_name_own_delivery(
    shop: Shop, store: httpx.AsyncClient, options: dict[str, str]
) -> None:
    own, pickup = [await place_order(shop, store, options[kind]) for kind in ("own", "pickup")]
    async with shop.database.read() as session:
        rows = (await orders_view(session, COMMAND_LINE, {})).rows
        assert {row.id: (row.is_own, row.is_pickup) for row in rows} == {
            own: (True, False),
            pickup: (False, True),
        }
        packing = [(await pack_view(session, COMMAND_LINE, one)).order for one in (own, pickup)]
        assert [(one.is_own, one.is_pickup, one.needs_label) for one in packing if one] == [
            (True, False, False),
            (False, True, False),
        ]
        brand = await read_brand(session, shop.settings)
        slips = await render_packing_slips(session, COMMAND_LINE, brand, [own, pickup])
    assert "Entrega propia · Domicilio" in slips
    assert "Recoger en El Poblado" in slips
