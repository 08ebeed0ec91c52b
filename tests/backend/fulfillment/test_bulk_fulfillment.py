"""Bulk fulfillment: separate results per order, one label for repeated and concurrent requests; printing."""

import asyncio
import re
from io import BytesIO
from typing import Any

import httpx
import pytest
from pypdf import PdfReader
from sqlalchemy import func, select, update

from backend.app import Shop
from backend.attention.models import Attention
from backend.content.areas import Area, BrandBody
from backend.content.palette import DEMO_PALETTE, derive_variables
from backend.content.versions import save_content
from backend.core.errors import Forbidden, InvalidData
from backend.fulfillment.bulk_fulfillment import (
    Outcome,
    hand_over,
    send_orders,
    send_remaining_units,
    send_units,
    ship_order,
    ship_orders,
)
from backend.fulfillment.delivery import mark_delivered_by_hand
from backend.fulfillment.tracking import TRACK
from backend.jobs.models import Job
from backend.mail.models import Mail
from backend.office.orders.detail import order_detail
from backend.office_settings import save_settings
from backend.orders.models import Fulfillment, Order, OrderLine
from backend.orders.service import list_order_lines, lock_order, update_fulfillment_status
from backend.orders.states import LabelState
from backend.sandbox.carrier import Fault
from backend.sandbox.carrier.faults import NO_CREDIT, Operation
from backend.staff.rights import COMMAND_LINE, Actor, Role
from tests.backend.orders.paying import order_row
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase, get, post

OWNER, ACCOUNTANT = Actor("user_1", Role.OWNER), Actor("user_2", Role.ACCOUNTANT)


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=20, price=40_000)


async def place_order(store: httpx.AsyncClient, trompo: str, *, is_pickup: bool = False) -> str:
    made = await complete_purchase(store, trompo, 2, price_type="flat" if is_pickup else "calculated")
    return str(made["id"])


async def send_order(shop: Shop, order_id: str) -> Outcome:
    return await send_remaining_units(
        shop.database, OWNER, shop.settings, shop.fulfillment_providers, order_id
    )


async def test_fulfillment_can_be_cancelled_and_shipped_without_its_order_id(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, trompo: str
) -> None:
    made = await complete_purchase(store, trompo, 2, price_type="calculated")
    one = {"items": [{"id": made["items"][0]["id"], "quantity": 1}]}

    async def parcel() -> str:
        sent = await post(admin, f"/admin/orders/{made['id']}/fulfillments", one)
        return next(str(each["id"]) for each in sent["order"]["fulfillments"] if not each["canceled_at"])

    first = await parcel()
    canceled = (await post(admin, f"/admin/fulfillments/{first}/cancel"))["fulfillment"]
    assert (canceled["id"], canceled["canceled_at"] is None) == (first, False)
    path = f"/admin/fulfillments/{await parcel()}"
    shipped = (await post(admin, f"{path}/shipment"))["fulfillment"]
    assert (path.endswith(shipped["id"]), shipped["shipped_at"] is None) == (True, False)
    for part in ("cancel", "shipment"):
        missing = await admin.post(f"/admin/fulfillments/ful_nosuch/{part}", json={})
        assert missing.json()["message"] == "Fulfillment with id: ful_nosuch was not found"


async def count_labels(shop: Shop) -> int:
    async with shop.database.read() as session:
        made = select(func.count()).where(Fulfillment.state == LabelState.CREATED)
        return (await session.execute(made)).scalar_one()


async def test_refused_order_does_not_stop_the_other_orders(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    good, canceled, unpaid, nowhere, last = [await place_order(store, trompo) for _number in range(5)]
    async with shop.database.transaction() as session:
        await session.execute(update(Order).where(Order.id == canceled).values(status="canceled"))
        await session.execute(update(Order).where(Order.id == unpaid).values(payment_status="awaiting"))
        await session.execute(
            update(Order).where(Order.id == nowhere).values(shipping_address={"city": "Cali"})
        )
    asked = [good, canceled, unpaid, nowhere, "order_nosuch", last]
    outcomes = await send_orders(shop.database, OWNER, shop.settings, shop.fulfillment_providers, asked)
    assert [(one.order_id, one.is_done) for one in outcomes] == [
        (order_id, order_id in {good, last}) for order_id in asked
    ]
    assert [one.text for one in outcomes] == [
        "Guía lista.",
        "Está cancelado.",
        "No está pagado.",
        "A la dirección le falta algo. Corrígela en el pedido.",
        "Ya no existe.",
        "Guía lista.",
    ]
    assert await count_labels(shop) == 2


async def test_concurrent_and_repeated_requests_for_an_order_create_one_label(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    order_id = await place_order(store, trompo)
    outcomes = await asyncio.gather(*(send_order(shop, order_id) for _press in range(4)))
    assert any(one.text == "Guía lista." for one in outcomes)
    assert {one.text for one in outcomes} <= {
        "Guía lista.",
        "Ya tenía guía.",
        "Otra persona la está haciendo en este momento.",
    }
    again = await send_order(shop, order_id)
    assert (again.text, again.is_done) == ("Ya tenía guía.", True)
    assert await count_labels(shop) == 1
    async with shop.database.read() as session:
        assert (await session.execute(select(OrderLine.fulfilled))).scalars().all() == [2]


async def test_label_in_doubt_is_not_requested_again(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    order_id = await place_order(store, trompo)
    assert shop.sandbox.carrier
    shop.sandbox.carrier.faults.plan(Fault.DROP, Operation.SHIPMENT)
    for _press in range(2):
        outcome = await send_order(shop, order_id)
        assert (outcome.is_done, outcome.waits) == (False, True)
        assert "en duda" in outcome.text
    async with shop.database.read() as session:
        kinds = (await session.execute(select(Attention.kind))).scalars().all()
        assert list(kinds) == ["label_in_doubt"]


@pytest.mark.parametrize(
    ("fault", "operation", "said"),
    [
        (
            Fault.NO_CREDIT,
            Operation.SHIPMENT,
            f"La transportadora dice: {NO_CREDIT}",
        ),
        (Fault.NO_RATES, Operation.QUOTATION, "Ninguna transportadora lleva este paquete a esa dirección."),
        (
            Fault.BAD_GATEWAY,
            Operation.QUOTATION,
            "La transportadora no responde. Inténtalo otra vez en un rato.",
        ),
    ],
)
async def test_failed_label_reports_its_reason(
    *, shop: Shop, store: httpx.AsyncClient, trompo: str, fault: Fault, operation: Operation, said: str
) -> None:
    order_id = await place_order(store, trompo)
    assert shop.sandbox.carrier
    shop.sandbox.carrier.faults.plan(fault, operation)
    outcome = await send_order(shop, order_id)
    assert (outcome.text, outcome.is_done, outcome.waits) == (said, False, False)
    shop.sandbox.carrier.faults.clear()
    assert (await send_order(shop, order_id)).text == "Guía lista."


async def test_bulk_fulfillment_sends_the_remaining_units_of_an_order(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    order_id = await place_order(store, trompo)
    line = (await get(admin, f"/admin/orders/{order_id}"))["order"]["items"][0]["id"]
    body = {"items": [{"id": line, "quantity": 1}]}
    assert (await admin.post(f"/admin/orders/{order_id}/fulfillments", json=body)).status_code == 200
    assert (await send_order(shop, order_id)).text == "Guía lista."
    assert (await order_row(shop, order_id)).fulfillment_status == "fulfilled"


async def send_one_unit(shop: Shop, order_id: str, *, units: int = 1, seen_parcels: int = 0) -> Outcome:
    async with shop.database.read() as session:
        (line,) = await list_order_lines(session, order_id)
    return await send_units(
        shop.database,
        OWNER,
        shop.settings,
        shop.fulfillment_providers,
        order_id,
        units={line.id: units},
        seen_parcels=seen_parcels,
    )


async def test_concurrent_clicks_pack_the_chosen_units_once_and_the_rest_later(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    order_id = await place_order(store, trompo)
    outcomes = await asyncio.gather(*(send_one_unit(shop, order_id) for _press in range(4)))
    assert any(one.text == "Guía lista." for one in outcomes)
    again = await send_one_unit(shop, order_id)
    assert (again.text, again.is_done) == ("Alguien empacó una parte antes. Mira lo que falta.", False)
    assert await count_labels(shop) == 1
    assert (await order_row(shop, order_id)).fulfillment_status == "partially_fulfilled"
    too_many = await send_one_unit(shop, order_id, units=2, seen_parcels=1)
    assert (too_many.text, too_many.is_done) == ("No se puede empacar. Mira el pedido.", False)
    assert (await send_one_unit(shop, order_id, seen_parcels=1)).text == "Guía lista."
    assert (await send_one_unit(shop, order_id, seen_parcels=1)).text == "Ya tenía guía."
    assert await count_labels(shop) == 2
    assert (await order_row(shop, order_id)).fulfillment_status == "fulfilled"


async def test_delivery_that_the_carrier_does_not_report_is_recorded_once_with_its_reason(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    order_id = await place_order(store, trompo)
    await send_order(shop, order_id)
    await ship_orders(shop.database, OWNER, [order_id])
    async with shop.database.read() as session:
        (parcel,) = (await order_detail(session, OWNER, order_id, "Trompo")).parcels
    assert parcel.can_deliver

    async def deliver(reason: str) -> bool:
        async with shop.database.transaction() as session:
            return await mark_delivered_by_hand(session, OWNER, order_id, parcel.id, reason)

    with pytest.raises(InvalidData) as refused:
        await deliver("  ")
    assert refused.value.fields == {"reason": "Escribe cómo sabes que llegó."}
    assert [await deliver("Lo confirmó por WhatsApp"), await deliver("Otra vez")] == [True, False]
    async with shop.database.read() as session:
        detail = await order_detail(session, OWNER, order_id, "Trompo")
        tracked = (await session.execute(select(Job.id).where(Job.kind == TRACK))).all()
    assert ([one.can_deliver for one in detail.parcels], tracked) == ([False], [])
    texts = [event.text for event in detail.events if event.tone == "note"]
    assert texts == ["Entregado, según el equipo: Lo confirmó por WhatsApp"]
    assert (await order_row(shop, order_id)).fulfillment_status == "delivered"


async def test_packed_orders_are_marked_as_shipped_once(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    packed, unpacked, fetched = (
        await place_order(store, trompo),
        await place_order(store, trompo),
        await place_order(store, trompo, is_pickup=True),
    )
    await send_order(shop, packed)
    await send_order(shop, fetched)
    asked = [packed, unpacked, fetched, "order_nosuch"]
    outcomes = await ship_orders(shop.database, OWNER, asked)
    assert [(one.text, one.is_done) for one in outcomes] == [
        ("Enviado.", True),
        ("Todavía no tiene guía.", False),
        ("Lo recogen en la tienda: no se envía.", False),
        ("Ya no existe.", False),
    ]
    assert (await ship_orders(shop.database, OWNER, [packed]))[0].text == "Ya estaba enviado."
    async with shop.database.read() as session:
        told = select(func.count()).where(Mail.kind == "order_shipped")
        assert (await session.execute(told)).scalar_one() == 2  # the second says that it can be collected


async def test_label_cancelled_by_the_carrier_is_not_shipped(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    made = await complete_purchase(store, trompo, 2, price_type="calculated")
    order_id, one = str(made["id"]), {"items": [{"id": made["items"][0]["id"], "quantity": 1}]}

    async def actions() -> list[str]:
        async with shop.database.read() as session:
            return (await order_detail(session, OWNER, order_id, "Trompo")).actions

    async def pressed() -> tuple[str, bool]:
        (outcome,) = await ship_orders(shop.database, OWNER, [order_id])
        return outcome.text, outcome.is_done

    await post(admin, f"/admin/orders/{order_id}/fulfillments", one)
    assert "ship" in await actions()
    async with shop.database.transaction() as session:
        await session.execute(update(Fulfillment).values(stage="canceled"))
    assert "ship" not in await actions()
    assert await pressed() == ("Todavía no tiene guía.", False)
    async with shop.database.read() as session:
        assert (await session.execute(select(Fulfillment.shipped_at))).scalars().all() == [None]
        assert (await session.execute(select(Mail.id).where(Mail.kind == "order_shipped"))).all() == []

    await post(admin, f"/admin/orders/{order_id}/fulfillments", one)
    assert "ship" in await actions()
    assert await pressed() == ("Enviado.", True)
    async with shop.database.read() as session:
        left = select(Fulfillment.stage).where(Fulfillment.shipped_at.is_not(None))
        assert (await session.execute(left)).scalars().all() == [None]
    assert (await order_row(shop, order_id)).fulfillment_status == "partially_shipped"


async def test_admin_api_cannot_ship_label_cancelled_by_the_carrier(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    order_id = await place_order(store, trompo)
    await send_order(shop, order_id)
    async with shop.database.transaction() as session:
        await session.execute(update(Fulfillment).values(stage="canceled"))
        parcel = (await session.execute(select(Fulfillment.id))).scalar_one()
    for path in (
        f"/admin/orders/{order_id}/fulfillments/{parcel}/shipments",
        f"/admin/fulfillments/{parcel}/shipment",
    ):
        refused = await admin.post(path, json={})
        assert (refused.status_code, refused.json()["type"]) == (400, "not_allowed")
    async with shop.database.read() as session:
        assert (await session.execute(select(Fulfillment.shipped_at))).scalars().all() == [None]
        assert (await session.execute(select(Mail.id).where(Mail.kind == "order_shipped"))).all() == []
    assert (await order_row(shop, order_id)).fulfillment_status == "fulfilled"


async def test_parcel_whose_label_is_cancelled_later_does_not_count_as_shipped(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    order_id = await place_order(store, trompo)
    await send_order(shop, order_id)
    await ship_orders(shop.database, OWNER, [order_id])
    async with shop.database.transaction() as session:
        await session.execute(update(Fulfillment).values(stage="canceled"))
        await update_fulfillment_status(session, await lock_order(session, order_id))
    assert (await order_row(shop, order_id)).fulfillment_status == "fulfilled"
    (line,) = (await get(admin, f"/admin/orders/{order_id}"))["order"]["items"]
    assert line["detail"]["shipped_quantity"] == 0


async def test_order_for_pickup_is_handed_over_once(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    order_id = await place_order(store, trompo, is_pickup=True)
    said = []
    for _press in range(3):
        async with shop.database.transaction() as session:
            said.append((await hand_over(session, OWNER, order_id)).text)
        if len(said) == 1:
            await send_order(shop, order_id)
    assert said == ["Todavía no está empacado.", "Recogido.", "Ya lo habían recogido."]
    assert (await order_row(shop, order_id)).fulfillment_status == "delivered"


async def test_bulk_fulfillment_without_the_right_is_refused(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    order_id = await place_order(store, trompo)
    with pytest.raises(Forbidden):
        await send_remaining_units(
            shop.database, ACCOUNTANT, shop.settings, shop.fulfillment_providers, order_id
        )
    with pytest.raises(Forbidden):
        await send_units(
            shop.database,
            ACCOUNTANT,
            shop.settings,
            shop.fulfillment_providers,
            order_id,
            units={"ordli_1": 1},
            seen_parcels=0,
        )
    with pytest.raises(Forbidden):
        await send_orders(shop.database, ACCOUNTANT, shop.settings, shop.fulfillment_providers, [order_id])
    with pytest.raises(Forbidden):
        await ship_orders(shop.database, ACCOUNTANT, [order_id])
    async with shop.database.transaction() as session:
        for service in (ship_order, hand_over):
            with pytest.raises(Forbidden):
                await service(session, ACCOUNTANT, order_id)
        with pytest.raises(Forbidden):
            await mark_delivered_by_hand(session, ACCOUNTANT, order_id, "ful_1", "Llegó")
    assert await count_labels(shop) == 0


async def test_labels_are_printed_as_one_pdf(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    first, unpacked, third, broken = [await place_order(store, trompo) for _number in range(4)]
    for order_id in (first, third, broken):
        await send_order(shop, order_id)
    async with shop.database.transaction() as session:
        torn = update(Fulfillment).where(Fulfillment.order_id == broken)
        await session.execute(torn.values(label_pdf=b"%PDF-1.4 torn"))
    asked: dict[str, Any] = {"id": [third, unpacked, broken, first]}
    answer = await admin.get("/admin/order-labels", params=asked)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/pdf")
    pages = [page.extract_text() for page in PdfReader(BytesIO(answer.content)).pages]
    numbers = [(await order_row(shop, order_id)).number for order_id in (third, first)]
    assert len(pages) == 2
    assert all(f"{number}-1" in page for number, page in zip(numbers, pages, strict=True))
    for nothing in ({"id": [unpacked]}, {"id": [broken]}, {"id": ["order_nosuch"]}):
        assert (await admin.get("/admin/order-labels", params=nothing)).status_code == 404
    assert (await admin.get("/admin/order-labels")).status_code == 400


async def test_packing_slip_lists_unpacked_units(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    made = await complete_purchase(store, trompo, 2, price_type="calculated")

    async def units() -> list[str]:
        page = await admin.get("/admin/packing-slips", params={"id": [made["id"]]})
        return re.findall(r'<td class="units">(\d+)</td>', page.text)

    assert await units() == ["2"]
    one = {"items": [{"id": made["items"][0]["id"], "quantity": 1}]}
    await post(admin, f"/admin/orders/{made['id']}/fulfillments", one)
    assert await units() == ["1"]
    await send_order(shop, made["id"])
    assert await units() == ["2"]


async def test_packing_slip_shows_the_shops_logo_or_name(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    order_id = await place_order(store, trompo)
    shown = {"id": [order_id]}
    assert '<p class="shop">Trompo</p>' in (await admin.get("/admin/packing-slips", params=shown)).text
    logo = "/pictures/0123456789abcdef/marca-300x100"
    async with shop.database.transaction() as session:
        await save_content(session, COMMAND_LINE, Area.BRAND, BrandBody(logo=f"{logo}.webp"), seen=0)
    answer = await admin.get("/admin/packing-slips", params=shown)
    assert f'<img src="{logo}.png" alt="Trompo" width="300" height="100">' in answer.text
    assert "img-src 'self'" in answer.headers["content-security-policy"]


async def test_packing_slip_of_another_shop_has_its_colors_and_nothing_of_the_demos_brand(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    order_id = await place_order(store, trompo)
    colors = {"primary": "#0b3d91", "secondary": "#0f5132", "background": "#f0f4ff", "text_color": "#111111"}
    async with shop.database.transaction() as session:
        await session.execute(update(OrderLine).values(title="Cien años de soledad", sku="L-1"))
        await save_settings(session, COMMAND_LINE, {"store_name": "Librería Ñandú"})
        await save_content(session, COMMAND_LINE, Area.BRAND, BrandBody(**colors), seen=0)
    page = (await admin.get("/admin/packing-slips", params={"id": [order_id]})).text
    assert "Librería Ñandú" in page
    assert "color: #111111" in page
    demo = derive_variables(DEMO_PALETTE)
    found = re.search(f"(?i).{{0,40}}(trompo|juguete|{'|'.join(demo.values())}).{{0,40}}", page)
    assert found is None, found[0]


async def test_packing_slips_escape_html_and_forbid_scripts(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    order_id = await place_order(store, trompo)
    async with shop.database.transaction() as session:
        await session.execute(update(OrderLine).values(title="<script>alert(1)</script>"))
    answer = await admin.get("/admin/packing-slips", params={"id": [order_id]})
    assert answer.status_code == 200
    assert "Ana Gómez" in answer.text
    assert "SKU-trompo" in answer.text
    assert "<script>" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert (await admin.get("/admin/packing-slips", params={"id": ["order_nosuch"]})).status_code == 404
