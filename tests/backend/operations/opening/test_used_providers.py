"""A provider that open orders still need cannot be left out of the settings."""

import httpx
import pytest

from backend.app import Shop
from backend.core.config.modules import list_blocks, registered_providers
from backend.core.errors import CannotStart
from backend.invoices.models import Invoice
from backend.operations.opening.used_providers import require_used_providers
from backend.payment.providers.base import ProviderState
from tests.backend.orders.paying import place_order_at_bank, report_payment
from tests.backend.returns.steps import deliver_order, pack_units, place_paid_order
from tests.store_defaults import Defaults, add_product

WITHOUT_PSE = {"payment_providers": "pp_system_default"}
WITHOUT_CARRIER = {"fulfillment_providers": "manual_manual"}
WITHOUT_MANUAL = {"fulfillment_providers": "carrier_standard"}
WITHOUT_UBL = {"invoice_providers": "file"}


async def check(shop: Shop, changes: dict[str, str]) -> None:
    registered = registered_providers(list_blocks(shop.settings.model_copy(update=changes).provider_lists))
    async with shop.database.read() as session:
        await require_used_providers(session, registered)


@pytest.fixture
async def variant_id(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=5, price=40_000)


@pytest.mark.parametrize("changes", [WITHOUT_PSE, WITHOUT_CARRIER, WITHOUT_UBL])
async def test_unused_provider_may_be_left_out_of_the_settings(
    shop: Shop, variant_id: str, changes: dict[str, str]
) -> None:
    del variant_id
    await check(shop, changes)


async def test_provider_of_an_undecided_payment_cannot_be_left_out(
    shop: Shop, store: httpx.AsyncClient, variant_id: str
) -> None:
    _order_id, session_id = await place_order_at_bank(shop, store, variant_id)
    with pytest.raises(CannotStart) as stopped:
        await check(shop, WITHOUT_PSE)
    assert str(stopped.value) == (
        "Trompo cannot start: PAYMENT_PROVIDERS leaves out gateway_pse, which is used by 1 open payments:"
        " add it until they are finished"
    )
    await report_payment(shop, session_id, ProviderState.REJECTED)
    await check(shop, WITHOUT_PSE)


async def test_provider_of_an_unsent_order_or_parcel_cannot_be_left_out(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, variant_id: str
) -> None:
    sold = await place_paid_order(shop, store, admin, variant_id)
    with pytest.raises(CannotStart, match=r"FULFILLMENT_PROVIDERS leaves out manual_manual.* unsent orders"):
        await check(shop, WITHOUT_MANUAL)
    await pack_units(admin, sold)
    with pytest.raises(CannotStart, match=r"parcels on their way"):
        await check(shop, WITHOUT_MANUAL)
    await deliver_order(shop, sold)
    await check(shop, WITHOUT_MANUAL)


async def test_provider_of_a_pending_invoice_cannot_be_left_out(shop: Shop, variant_id: str) -> None:
    del variant_id
    async with shop.database.transaction() as session:
        session.add(Invoice(kind="invoice", order_id="order_1", amount=1_000, provider_id="ubl"))
        session.add(Invoice(kind="invoice", order_id="order_2", amount=1_000))
    with pytest.raises(CannotStart, match=r"INVOICE_PROVIDERS leaves out ubl.* 1 pending invoices"):
        await check(shop, WITHOUT_UBL)
