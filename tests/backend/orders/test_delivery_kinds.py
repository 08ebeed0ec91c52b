"""Texts about orders by pickup and by own delivery: mails, order page, office, slips and messages to staff."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
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
from backend.office.audit import AuditFilter, audit_entries
from backend.office.deliveries.form import parse_point_form, parse_zone_form
from backend.office.deliveries.page import deliveries_page
from backend.office.deliveries.saving import save_point, save_zone
from backend.office.orders.detail import OrderDetail, order_detail
from backend.office.orders.editing import edit_view
from backend.office.orders.listing import orders_view
from backend.office.orders.packing import pack_view
from backend.orders.admin.corrections import correct_address
from backend.orders.delivery_kinds import DeliveryKind
from backend.orders.models import Fulfillment, Order
from backend.orders.promised_days import describe_promise_for_staff
from backend.orders.states import FulfillmentStatus, PaymentStatus
from backend.shipping.delivery_promise import PROMISED_DAY, DeliveryTerms, add_delivery_terms
from backend.shipping.models import ShippingOption
from backend.staff.models import Staff
from backend.staff.rights import COMMAND_LINE, Role
from backend.staff_notices.batches import NoticeBatches
from backend.storefront_views.order_page import OrderView, order_view
from tests.backend.checkout.quotes.test_unquoted_delivery import capture
from tests.backend.mail.conftest import Inbox, text_of
from tests.backend.office.deliveries.test_saving import POINT, ZONE
from tests.backend.staff_notices.conftest import make_due
from tests.store_defaults import Defaults, add_product
from tests.store_steps import create_addressed_cart, create_payment_collection, post

CARRIER_WORDS = re.compile(r"gu[ií]a|transportadora|env[ií]|despach", re.IGNORECASE)
DELIVERY_WORDS = re.compile(
    r"gu[ií]a|transportadora|env[ií]o|enviad|despach|va para|a dónde va"
    r"|entrega (prometida|ofrecida|estimada)|la entrega",
    re.IGNORECASE,
)
"""Words that no text about a pickup order may contain, at any time."""


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@pytest.fixture
def worker(shop: Shop, inbox: Inbox) -> Worker:
    """Return a worker that sends the mails to the inbox."""
    return Worker(shop.database, [Mailer(shop.database, shop.settings, inbox)])


@pytest.fixture
async def options(shop: Shop, shop_defaults: Defaults) -> dict[str, str]:
    """Return the ids of a pickup option with address and hours, and of an own-delivery zone."""
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


async def test_texts_about_a_pickup_order_mention_pickup(
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
    ("kind", "promised", "offered"),
    [
        (DeliveryKind.PICKUP, "Para recoger desde el ", "Para recoger desde el "),
        (DeliveryKind.OWN, "Entrega prometida: ", "Entrega ofrecida: "),
        (DeliveryKind.CARRIER, "Entrega prometida: ", "Entrega ofrecida: "),
    ],
)
def test_promise_shown_to_staff_mentions_pickup_only_for_a_pickup_order(
    kind: DeliveryKind, promised: str, offered: str
) -> None:
    data = add_delivery_terms({PROMISED_DAY: "2026-12-10"}, DeliveryTerms(15, 1, 3))
    order = Order(  # type: ignore[call-arg]
        shipping_data=data,
        promised_day=None,
        payment_status=PaymentStatus.AWAITING,
        fulfillment_status=FulfillmentStatus.NOT_FULFILLED,
    )
    assert (
        describe_promise_for_staff(order, kind)
        == f"{offered}jueves 10 de diciembre, si el pago se aprueba a tiempo"
    )
    order.promised_day = date(2026, 12, 10)
    assert describe_promise_for_staff(order, kind) == f"{promised}jueves 10 de diciembre"


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


async def test_order_for_own_delivery_can_be_packed_again_after_unpacking(
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


async def test_own_delivery_is_named_in_order_lists_packing_screen_and_slips(
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
    assert "Recoge en tienda · Recoger en El Poblado" in slips
    assert slips.count("Carrera 43A # 1-50") == 1  # only that of own delivery


def list_texts(value: object) -> Iterator[str]:
    """Yield every text in a view."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from list_texts(part)
    elif isinstance(value, list | tuple | set | frozenset):
        for part in value:
            yield from list_texts(part)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from list_texts(getattr(value, field.name))


async def read_all_texts(shop: Shop, order_id: str) -> list[str]:
    """Return every text about the order that its page and the office show, and that the office prints."""
    async with shop.database.read() as session:
        brand = await read_brand(session, shop.settings)
        views = [
            await order_view(session, shop.settings, order_id),
            await order_detail(session, COMMAND_LINE, order_id, "Trompo"),
            await pack_view(session, COMMAND_LINE, order_id),
            await edit_view(session, COMMAND_LINE, order_id),
            (await orders_view(session, COMMAND_LINE, {})).rows,
            (await audit_entries(session, COMMAND_LINE, AuditFilter(subject_id=order_id))).rows,
        ]
        slips = await render_packing_slips(session, COMMAND_LINE, brand, [order_id])
    return [*list_texts(views), re.sub(r"<style>.*?</style>|<[^>]+>", " ", slips, flags=re.DOTALL)]


def find_delivery_words(texts: list[str]) -> list[str]:
    return [text for text in texts if DELIVERY_WORDS.search(text)]


async def test_no_text_about_a_pickup_order_mentions_a_carrier(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, options: dict[str, str]
) -> None:
    inbox = Inbox()
    worker = Worker(
        shop.database, [NoticeBatches(shop.database), Mailer(shop.database, shop.settings, inbox)]
    )
    async with shop.database.transaction() as session:
        session.add(Staff(email="owner@trompo.example", password_hash="never used", role=Role.OWNER))
    order_id = await place_order(shop, store, options["pickup"])
    texts = await read_all_texts(shop, order_id)
    await capture(admin, order_id)
    texts += await read_all_texts(shop, order_id)
    async with shop.database.transaction() as session:
        await correct_address(session, COMMAND_LINE, order_id, {"first_name": "Marta"})
    await pack(shop, order_id)
    texts += await read_all_texts(shop, order_id)
    async with shop.database.transaction() as session:
        texts.append((await ship_order(session, COMMAND_LINE, order_id)).text)
    parcel_id = await find_parcel(shop, order_id)
    await cancel_fulfillment(shop.database, COMMAND_LINE, shop.fulfillment_providers, order_id, parcel_id)
    texts += await read_all_texts(shop, order_id)
    texts.append(await pack(shop, order_id))
    async with shop.database.transaction() as session:
        texts.append((await hand_over(session, COMMAND_LINE, order_id)).text)
    texts += await read_all_texts(shop, order_id)
    await make_due(shop.database)
    await worker.run_due()
    mails = [f"{mail['Subject']} {text_of(mail)}" for mail in inbox.mails]
    assert len(mails) >= 4  # placed, paid, ready, and the notice to the owner
    texts += mails
    assert find_delivery_words(texts) == []
    told = " ".join(texts)
    for words in (
        "lo recogen en la tienda",
        "Recoge en tienda",
        "Listo para recoger",
        "Datos corregidos",
        "marcó como recogido",
    ):
        assert words in told, words
