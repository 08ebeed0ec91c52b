"""An order's screen: messages of the carrier about labels."""

from typing import Any

import httpx
import pytest

from backend.app import Shop
from backend.core.error_texts import FAILURE, OFFICE, text_for
from backend.core.errors import OutsideFailure
from backend.sandbox.carrier import Fault, SandboxCarrier
from backend.sandbox.carrier.faults import NO_CREDIT, Operation
from backend.sandbox.carrier.labels import TEST_ORDER_ID, Status
from backend.staff.rights import Role
from storefront.office.orders.detail_state import OrderState
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase
from tests.storefront.office.conftest import BrowserFactory
from tests.storefront.office.events import send_event


@pytest.fixture
def carrier(shop: Shop) -> SandboxCarrier:
    assert shop.sandbox.carrier
    return shop.sandbox.carrier


@pytest.fixture
async def screen(shop: Shop, defaults: Defaults, store: httpx.AsyncClient, browser_of: BrowserFactory) -> Any:
    """Open the screen of a paid order of two units that are not shipped."""
    async with shop.database.transaction() as session:
        toy = await add_product(session, defaults, "trompo", stock=5)
    order = await complete_purchase(store, toy, 2, price_type="calculated")
    state: Any = await (await browser_of(Role.SHOP, f"/oficina/pedidos/{order['id']}")).get_state(OrderState)
    await send_event(state, "load")
    return state


async def cancel_label(screen: Any) -> tuple[str, str]:
    """Cancel the newest label and return the announced tone and text."""
    await send_event(screen, "cancel_label", screen.content.parcels[-1].id)
    return screen.announcement.tone, screen.announcement.text


async def test_carrier_refusal_is_shown_and_stored_with_the_parcel(
    screen: Any, carrier: SandboxCarrier
) -> None:
    carrier.faults.plan(Fault.NO_CREDIT, Operation.SHIPMENT, times=1)
    await send_event(screen, "pack")
    assert (screen.announcement.tone, screen.announcement.text) == (
        "problem",
        f"La transportadora dice: {NO_CREDIT}",
    )
    await send_event(screen, "load")
    (parcel,) = screen.content.parcels
    assert (parcel.chip.text, parcel.problem) == ("No se pudo hacer la guía", screen.announcement.text)
    await send_event(screen, "pack")
    (parcel,) = screen.content.parcels
    assert (screen.announcement.text, parcel.chip.text, parcel.problem) == ("Guía lista.", "Guía lista", "")


async def test_label_is_kept_if_the_carrier_does_not_cancel_it(screen: Any, carrier: SandboxCarrier) -> None:
    await send_event(screen, "pack")
    carrier.faults.plan(Fault.UNAUTHORIZED, Operation.CANCELLATION, times=1)
    tone, text = await cancel_label(screen)
    assert (tone, "no responde" in text) == ("problem", False)
    assert text.startswith("La guía sigue como estaba. La transportadora dice: ")
    await carrier.ledger.move_shipment(TEST_ORDER_ID, Status.COLLECTED)
    assert await cancel_label(screen) == (
        "problem",
        "La guía sigue como estaba. La transportadora no la anuló: puede que ya la haya recogido.",
    )
    assert screen.content.parcels[0].chip.text == "Guía lista"


async def test_unknown_outcome_of_a_label_cancellation_is_shown_as_a_problem(
    screen: Any, carrier: SandboxCarrier
) -> None:
    await send_event(screen, "pack")
    carrier.faults.plan(Fault.SERVER_ERROR)
    assert await cancel_label(screen) == (
        "problem",
        "No sabemos si la transportadora anuló la guía. Inténtalo otra vez en un rato.",
    )
    carrier.faults.clear()
    assert await cancel_label(screen) == ("news", "Guía anulada.")


def test_refusal_by_an_external_service_shows_its_text_for_staff() -> None:
    assert text_for(OutsideFailure("no", staff_text="Sin crédito."), OFFICE) == "Sin crédito."
    assert text_for(OutsideFailure("no answer"), OFFICE) == FAILURE
