"""The screen of one order: what the carrier says of its labels is told in its words."""

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
from tests.store_defaults import Defaults, make_toy
from tests.store_steps import bought
from tests.storefront.office.conftest import At


@pytest.fixture
def carrier(shop: Shop) -> SandboxCarrier:
    assert shop.sandbox.carrier
    return shop.sandbox.carrier


@pytest.fixture
async def screen(shop: Shop, defaults: Defaults, store: httpx.AsyncClient, browser_of: At) -> Any:
    """The screen of an order of two toys that are still to be sent."""
    async with shop.database.transaction() as session:
        toy = await make_toy(session, defaults, "trompo", stock=5)
    order = await bought(store, toy, 2, price_type="calculated")
    state: Any = await (await browser_of(Role.SHOP, f"/oficina/pedidos/{order['id']}")).get_state(OrderState)
    await pressed(state, "load")
    return state


async def pressed(screen: Any, name: str, *arguments: Any) -> None:
    await OrderState.event_handlers[name].fn(screen, *arguments)


async def cancelled(screen: Any) -> tuple[str, str]:
    """What somebody is told who cancels the label."""
    await pressed(screen, "cancel_label", screen.content.parcels[-1].id)
    return screen.told.tone, screen.told.text


async def test_why_the_carrier_made_no_label_is_told_and_stays_with_the_parcel(
    screen: Any, carrier: SandboxCarrier
) -> None:
    carrier.faults.plan(Fault.NO_CREDIT, Operation.SHIPMENT, times=1)
    await pressed(screen, "pack")
    assert (screen.told.tone, screen.told.text) == ("problem", f"La transportadora dice: {NO_CREDIT}")
    await pressed(screen, "load")
    (parcel,) = screen.content.parcels
    assert (parcel.chip.text, parcel.problem) == ("No se pudo hacer la guía", screen.told.text)
    await pressed(screen, "pack")
    (parcel,) = screen.content.parcels
    assert (screen.told.text, parcel.chip.text, parcel.problem) == ("Guía lista.", "Guía lista", "")


async def test_a_label_that_the_carrier_does_not_cancel_stays(screen: Any, carrier: SandboxCarrier) -> None:
    await pressed(screen, "pack")
    carrier.faults.plan(Fault.UNAUTHORIZED, Operation.CANCELLATION, times=1)
    tone, text = await cancelled(screen)
    assert (tone, "no responde" in text) == ("problem", False)
    assert text.startswith("La guía sigue como estaba. La transportadora dice: ")
    await carrier.ledger.move(TEST_ORDER_ID, Status.COLLECTED)
    assert await cancelled(screen) == (
        "problem",
        "La guía sigue como estaba. La transportadora no la anuló: puede que ya la haya recogido.",
    )
    assert screen.content.parcels[0].chip.text == "Guía lista"


async def test_a_cancellation_of_which_nobody_knows_is_told_as_that(
    screen: Any, carrier: SandboxCarrier
) -> None:
    await pressed(screen, "pack")
    carrier.faults.plan(Fault.SERVER_ERROR)
    assert await cancelled(screen) == (
        "problem",
        "No sabemos si la transportadora anuló la guía. Inténtalo otra vez en un rato.",
    )
    carrier.faults.clear()
    assert await cancelled(screen) == ("news", "Guía anulada.")


def test_a_refusal_from_outside_says_why_on_every_screen() -> None:
    assert text_for(OutsideFailure("no", staff_text="Sin crédito."), OFFICE) == "Sin crédito."
    assert text_for(OutsideFailure("no answer"), OFFICE) == FAILURE
