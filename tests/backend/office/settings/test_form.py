"""The settings form: validation and merge of typed values; providers are switched without breaking open orders."""

import asyncio
from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.core.config.modules import CARRIER, GATEWAY_PSE, MANUAL, SYSTEM_PAYMENT
from backend.core.config.settings import GatewayEnv, Settings
from backend.core.errors import Forbidden, InvalidData, NotFound
from backend.fulfillment.commands import CreateFulfillment
from backend.fulfillment.packing import fulfill
from backend.legal.texts import LegalKind, current_text, fill_text
from backend.office.audit import AuditFilter, audit_entries
from backend.office.settings.form import FIELDS, ShopClashes, read_shop_values, save_shop
from backend.office.settings.page import LastProvider, switch_shop_provider
from backend.office.today import today_view
from backend.orders.models import Fulfillment
from backend.payment.models import PaymentSession
from backend.shipping.models import StockLocation
from backend.staff.rights import COMMAND_LINE, Actor, Role, SecondFactorMissing
from tests.store_defaults import Defaults, add_product
from tests.store_steps import (
    MANUAL as BY_HAND,
)
from tests.store_steps import (
    PSE,
    complete_purchase,
    create_addressed_cart,
    create_cart_with_shipping,
    create_payment_collection,
    find_shipping_option,
    get,
    post,
)

RUNNING = ({GATEWAY_PSE: "PSE", SYSTEM_PAYMENT: ""}, (CARRIER, MANUAL))


async def save_typed(shop: Shop, seen: dict[str, str] | None = None, /, **typed: str) -> list[str]:
    """Save the form with these typed values, after it showed `seen` (by default the stored values).

    Return the names of the changed fields.
    """
    async with shop.database.transaction() as session:
        seen = seen or await read_shop_values(session, shop.settings)
        return await save_shop(session, COMMAND_LINE, shop.settings, {**seen, **typed}, seen)


async def switch_provider_on(
    shop: Shop, provider: str, *, is_on: bool = False, is_sure: bool = False
) -> None:
    async with shop.database.transaction() as session:
        await switch_shop_provider(
            session, COMMAND_LINE, provider, is_on=is_on, is_sure=is_sure, installed=RUNNING
        )


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=3)


async def test_warehouse_address_too_long_for_a_label_is_refused(shop: Shop, trompo: str) -> None:
    with pytest.raises(InvalidData) as refused:
        await save_typed(shop, carrier_origin_address="x" * 90, carrier_origin_reference="y" * 60)
    assert list(refused.value.fields) == ["carrier_origin_address"]
    assert (await shop.effective_settings.now()).carrier_origin_address != "x" * 90


async def test_saved_settings_are_used_in_all_parts_of_the_shop(shop: Shop, trompo: str) -> None:
    changed = await save_typed(
        shop,
        store_nit="800197268-4",
        store_notice_address="Calle 1 # 2-3",
        town="Medellín, Antioquia",
        carrier_origin_address="Carrera 50 # 30-12",
        carrier_origin_phone="+57 604 444 5555",
        low_stock_at="2",
        label_over_paid="$ 25.000",
        manual_payment_days="7",
        sell_discount_percent="20",
        cart_reminders="true",
        cutoff_hour="11",
        packing_days="0",
        alert_no_sale_hours="48",
    )
    assert {"carrier_origin_dane_code", "low_stock_at", "label_over_paid"} <= set(changed)
    effective = await shop.effective_settings.now()
    assert (effective.store_nit, effective.label_over_paid, effective.alert_no_sale_hours) == (
        "800.197.268-4", 25_000, 48,
    )  # fmt: skip
    assert (effective.cutoff_hour, effective.packing_days, effective.sell_discount_percent) == (11, 0, 20)
    assert effective.carrier_origin_phone == "6044445555"
    async with shop.database.read() as session:
        (location,) = (await session.execute(select(StockLocation))).scalars()
        assert (location.address["dane_code"], location.address["city"]) == ("05001000", "Medellín")
        terms = fill_text(await current_text(session, LegalKind.TERMS), effective).text
        assert "notificaciones judiciales: Calle 1" in terms
        view = await today_view(session, COMMAND_LINE, effective)
        assert view.low_stock == 0  # three are no longer low
        page = await audit_entries(session, COMMAND_LINE, AuditFilter(subject_id="settings"))
    (row,) = page.rows
    assert row.sentence == "cambió los datos de la tienda"
    assert {change.field for change in row.changes} >= {
        "NIT",
        "Municipio de la bodega",
        "Hora de corte, de 1 a 23",
        "Recordar los carritos abandonados",
    }
    assert await save_typed(shop) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("store_name", ""),
        ("store_nit", "800.197.268-5"),
        ("store_nit", "12"),
        ("store_phone", "555"),
        ("store_email", "hola@"),
        ("store_whatsapp", "call me"),
        ("town", "Macondo, Magdalena"),
        ("carrier_origin_phone", "018000123456"),
        ("low_stock_at", "-1"),
        ("low_stock_at", "1,5x"),
        ("daily_summary_hour", "24"),
        ("daily_summary_hour", "x"),
        ("cart_reminders", "yes"),
        ("manual_payment_days", "0"),
        ("sell_discount_percent", "101"),
        ("cutoff_hour", "24"),
        ("cutoff_hour", "3 p. m."),
        ("packing_days", "31"),
        ("label_over_paid", "11.000.000"),
        ("alert_webhook", "javascript:alert(1)"),
        ("alert_webhook", "https://user:key@example.com/x"),
        ("alert_webhook", "https://example.com/x"),  # without a secret to sign with
        ("alert_email", "nobody"),
    ],
)
async def test_invalid_setting_is_refused_at_its_field(
    settings: Settings, sqlite_url: str, name: str, text: str
) -> None:
    shop = Shop(settings.model_copy(update={"database_url": sqlite_url}))
    with pytest.raises(InvalidData) as refused:
        await save_typed(shop, store_hours="Siempre", **{name: text})
    assert list(refused.value.fields) == [name]
    assert (await shop.effective_settings.now()).store_hours == ""
    await shop.stop()


async def test_webhook_url_in_production_must_be_https(settings: Settings, sqlite_url: str) -> None:
    update = {"database_url": sqlite_url, "gateway_env": GatewayEnv.PRODUCTION}
    secret = settings.model_validate({"alert_webhook_secret": "whsec_x"}).alert_webhook_secret
    shop = Shop(settings.model_copy(update={**update, "alert_webhook_secret": secret}))
    with pytest.raises(InvalidData) as refused:
        await save_typed(shop, alert_webhook="http://example.com/x")
    assert list(refused.value.fields) == ["alert_webhook"]
    assert await save_typed(shop, alert_webhook="https://example.com/x/") == ["alert_webhook"]
    assert (await shop.effective_settings.now()).alert_webhook == "https://example.com/x"
    await shop.stop()


async def test_concurrent_saves_of_one_setting_are_reported_as_a_clash(shop: Shop) -> None:
    async with shop.database.read() as session:
        seen = await read_shop_values(session, shop.settings)
    await asyncio.gather(
        save_typed(shop, seen, store_hours="De 9 a 5", low_stock_at="5"),
        save_typed(shop, seen, store_about="Juguetes"),
    )
    effective = await shop.effective_settings.now()
    assert (effective.store_hours, effective.store_about) == ("De 9 a 5", "Juguetes")
    rivals = await asyncio.gather(
        *(save_typed(shop, seen, store_phone=f"601 555 000{n}") for n in range(2)), return_exceptions=True
    )
    (clash,) = [one for one in rivals if isinstance(one, ShopClashes)]
    phone = (await shop.effective_settings.now()).store_phone
    assert [(one.name, one.theirs) for one in clash.clashes] == [("store_phone", phone)]


async def test_settings_change_without_the_right_is_refused(settings: Settings, sqlite_url: str) -> None:
    shop = Shop(settings.model_copy(update={"database_url": sqlite_url}))
    values = dict.fromkeys(FIELDS, "x")
    for actor, error in (
        (Actor("s", Role.SHOP, has_second_factor=True), Forbidden),
        (Actor("s", Role.OWNER), SecondFactorMissing),
    ):
        async with shop.database.transaction() as session:
            with pytest.raises(error):
                await save_shop(session, actor, shop.settings, values, values)
            with pytest.raises(error):
                await switch_shop_provider(session, actor, MANUAL, is_on=False, installed=RUNNING)
    with pytest.raises(NotFound):
        await switch_provider_on(shop, "pp_unknown")
    await shop.stop()


async def _refused(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, str(answer.json()["message"])


async def test_disabled_shipping_provider_still_ships_paid_orders(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    sold = await complete_purchase(store, trompo, price_type="calculated")
    chosen = await create_cart_with_shipping(store, trompo, price_type="calculated")
    waiting = await create_addressed_cart(store, trompo)
    carrier = await find_shipping_option(store, waiting, "calculated")
    await switch_provider_on(shop, CARRIER)
    offered = (await get(store, "/store/shipping-options", cart_id=waiting))["shipping_options"]
    assert [one["provider_id"] for one in offered] == [MANUAL]
    message = f"Shipping option {carrier['id']} is not offered: {CARRIER} is switched off"
    path = f"/store/carts/{waiting}/shipping-methods"
    assert await _refused(await store.post(path, json={"option_id": carrier["id"]})) == (400, message)
    collection = (await post(store, "/store/payment-collections", {"cart_id": chosen}))["payment_collection"]
    path = f"/store/payment-collections/{collection['id']}/payment-sessions"
    assert await _refused(await store.post(path, json={"provider_id": BY_HAND})) == (400, message)
    with pytest.raises(LastProvider):
        await switch_provider_on(shop, MANUAL)
    await switch_provider_on(shop, MANUAL, is_sure=True)
    assert (await get(store, "/store/shipping-options", cart_id=waiting))["shipping_options"] == []
    sending = CreateFulfillment(units={sold["items"][0]["id"]: 1})
    await fulfill(shop.database, COMMAND_LINE, shop.settings, shop.fulfillment_providers, sold["id"], sending)
    async with shop.database.read() as session:
        (sent,) = (await session.execute(select(Fulfillment))).scalars()
    assert sent.tracking_number
    await switch_provider_on(shop, CARRIER, is_on=True)
    offered = (await get(store, "/store/shipping-options", cart_id=waiting))["shipping_options"]
    assert [one["provider_id"] for one in offered] == [CARRIER]


async def test_disabled_payment_provider_finishes_open_payments(
    store: httpx.AsyncClient, shop: Shop, trompo: str
) -> None:
    begun = await create_cart_with_shipping(store, trompo)
    await create_payment_collection(store, begun, BY_HAND)
    waiting = await create_cart_with_shipping(store, trompo)
    collection = (await post(store, "/store/payment-collections", {"cart_id": waiting}))["payment_collection"]
    with pytest.raises(LastProvider):
        await switch_provider_on(shop, GATEWAY_PSE)
    await switch_provider_on(shop, SYSTEM_PAYMENT)
    await switch_provider_on(shop, GATEWAY_PSE, is_sure=True)
    assert (await get(store, "/store/payment-providers"))["payment_providers"] == []
    path = f"/store/payment-collections/{collection['id']}/payment-sessions"
    for provider in (BY_HAND, PSE):
        status, message = await _refused(await store.post(path, json={"provider_id": provider, "data": {}}))
        assert (status, message.endswith("not found or not enabled")) == (400, True)
    order = (await post(store, f"/store/carts/{begun}/complete"))["order"]
    async with shop.database.read() as session:
        payment = (await session.execute(select(PaymentSession))).scalars().one()
        page = await audit_entries(session, COMMAND_LINE, AuditFilter(subject_id=GATEWAY_PSE))
    assert payment.expires_at is not None
    assert payment.expires_at - payment.created_at == timedelta(days=3)
    assert order["payment_status"] == "authorized"
    assert [row.sentence for row in page.rows] == ["apagó PSE"]


async def test_concurrent_switches_of_a_provider_on_and_off_raise_no_error(
    shop: Shop, shop_defaults: Defaults
) -> None:
    del shop_defaults
    results: list[Any] = await asyncio.gather(
        *(switch_provider_on(shop, SYSTEM_PAYMENT) for _n in range(3)),
        *(switch_provider_on(shop, CARRIER) for _n in range(3)),
        return_exceptions=True,
    )
    assert results == [None] * 6
