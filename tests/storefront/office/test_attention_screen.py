"""The attention screen (Por resolver): texts of refused decisions."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from sqlalchemy import delete, select, update

from backend.app import Shop
from backend.attention import AttentionKind, raise_attention
from backend.attention.models import Attention
from backend.core.config.settings import Settings
from backend.core.error_texts import FAILURE, OFFICE, text_for
from backend.core.errors import InvalidData, NotAllowed
from backend.orders.models import Fulfillment, Order, OrderLine
from backend.payment.models import PaymentSession
from backend.sandbox.carrier import Fault
from backend.sandbox.carrier.faults import Operation
from backend.staff.rights import Role
from storefront.office.attention import AttentionState
from storefront.office.orders.detail_state import OrderState
from tests.api_clients import open_clients
from tests.backend.orders.paying import place_order_at_bank
from tests.backend.orders.test_other_amounts import approve_payment
from tests.backend.returns.steps import Sold, pack_units, place_paid_order
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase
from tests.storefront.office.conftest import BrowserFactory

REFUND = {"action": "refunded", "reference": "0012345678"}


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Return settings without the carrier's sandbox mode, so that typed label numbers count as real ones."""
    return settings.model_copy(update={"carrier_sandbox": False})


@pytest.fixture
async def clients(shop: Shop, defaults: Defaults) -> AsyncIterator[tuple[httpx.AsyncClient, ...]]:
    """Yield an API client of a shopper and one of an owner."""
    async with open_clients(shop) as both:
        yield both


@pytest.fixture
async def variant_id(shop: Shop, defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, defaults, "trompo", stock=5, price=40_000)


@pytest.fixture
async def paid(shop: Shop, clients: tuple[httpx.AsyncClient, ...], variant_id: str) -> Sold:
    store, admin = clients
    return await place_paid_order(shop, store, admin, variant_id)


@pytest.fixture
async def screen(browser_of: BrowserFactory) -> Any:
    return await (await browser_of(Role.OWNER, "/oficina/por-resolver")).get_state(AttentionState)


async def create_row(shop: Shop, kind: AttentionKind, **about: Any) -> None:
    async with shop.database.transaction() as session:
        await raise_attention(session, kind, message="Something happened", **about)


async def resolve_and_expect_refusal(shop: Shop, screen: Any, **typed: str) -> str:
    """Resolve the only row, check that it stays open, and return the announced text."""
    await AttentionState.event_handlers["load"].fn(screen)
    (row,) = screen.content.rows
    await AttentionState.event_handlers["resolve"].fn(screen, {"id": row.id, **typed})
    async with shop.database.read() as session:
        assert (await session.execute(select(Attention.resolved_at))).scalars().all() == [None]
    assert [row.id for row in screen.content.rows] == [row.id]
    if screen.announcement is None:
        return ""
    assert screen.announcement.tone == "problem"
    return str(screen.announcement.text)


async def test_second_payment_of_a_paid_order_cannot_be_honored(shop: Shop, paid: Sold, screen: Any) -> None:
    async with shop.database.read() as session:
        payment = (await session.execute(select(PaymentSession.id))).scalar_one()
    await create_row(
        shop, AttentionKind.APPROVED_LATE, order_id=paid.order_id, payment_session_id=payment, amount=80_000
    )
    assert "ya está pagado" in await resolve_and_expect_refusal(shop, screen, action="honor")


async def test_packed_units_cannot_be_refunded_on_the_attention_screen(
    shop: Shop, clients: tuple[httpx.AsyncClient, ...], paid: Sold, screen: Any
) -> None:
    await pack_units(clients[1], paid)
    await create_row(shop, AttentionKind.STOCK_SHORT, order_id=paid.order_id)
    assert "desempácalo primero" in await resolve_and_expect_refusal(shop, screen, **REFUND)


async def test_missing_units_of_a_refunded_order_cannot_be_reserved(
    shop: Shop, paid: Sold, screen: Any
) -> None:
    await create_row(shop, AttentionKind.STOCK_SHORT, order_id=paid.order_id)
    async with shop.database.transaction() as session:
        await session.execute(update(Order).values(payment_status="refunded"))
    assert "no tiene dinero" in await resolve_and_expect_refusal(shop, screen, action="honor")


async def test_unknown_amount_cannot_be_refunded(shop: Shop, paid: Sold, screen: Any) -> None:
    async with shop.database.transaction() as session:
        await session.execute(update(PaymentSession).values(captured_amount=None))
        payment = (await session.execute(select(PaymentSession.id))).scalar_one()
    await create_row(shop, AttentionKind.AMOUNT_DIFFERS, payment_session_id=payment)
    assert "cuánto" in await resolve_and_expect_refusal(shop, screen, **REFUND)


async def test_payment_whose_cart_contents_are_unknown_cannot_become_an_order(
    shop: Shop, paid: Sold, screen: Any
) -> None:
    async with shop.database.transaction() as session:
        await session.execute(update(PaymentSession).values(snapshot={}))
        for model in (OrderLine, Order):
            await session.execute(delete(model))
        payment = (await session.execute(select(PaymentSession.id))).scalar_one()
    await create_row(shop, AttentionKind.PAID_WITHOUT_ORDER, payment_session_id=payment, amount=80_000)
    assert "qué se compró" in await resolve_and_expect_refusal(shop, screen, action="honor")


async def test_too_expensive_label_cannot_be_bought_after_its_order_was_cancelled(
    shop: Shop, defaults: Defaults, paid: Sold, screen: Any
) -> None:
    async with shop.database.transaction() as session:
        parcel = Fulfillment(
            order_id=paid.order_id,
            reference="1-1",
            location_id=defaults.location_id,
            provider_id="carrier_standard",
            state="too_expensive",
        )
        session.add(parcel)
        await session.execute(update(Order).values(status="canceled"))
    await create_row(
        shop,
        AttentionKind.LABEL_TOO_EXPENSIVE,
        order_id=paid.order_id,
        fulfillment_id=parcel.id,
        amount=90_000,
    )
    assert "se canceló" in await resolve_and_expect_refusal(shop, screen, action="honor")


async def test_deleted_job_cannot_be_run_again_from_its_attention(shop: Shop, screen: Any) -> None:
    await create_row(shop, AttentionKind.JOB_FAILED, subject_id="999")
    assert "tarea" in await resolve_and_expect_refusal(shop, screen, action="honor")


async def test_problem_with_a_typed_label_number_is_shown_at_its_field(
    shop: Shop, clients: tuple[httpx.AsyncClient, ...], variant_id: str, screen: Any
) -> None:
    carrier, (store, admin) = shop.sandbox.carrier, clients
    assert carrier is not None
    carrier.faults.plan(Fault.DROP, Operation.SHIPMENT, times=1)
    for status in (502, 200):
        order = await complete_purchase(store, variant_id, 1, price_type="calculated")
        items = {"items": [{"id": order["items"][0]["id"], "quantity": 1}]}
        answer = await admin.post(f"/admin/orders/{order['id']}/fulfillments", json=items)
        assert answer.status_code == status
    async with shop.database.read() as session:
        others = select(Fulfillment.tracking_number).where(Fulfillment.state == "created")
        taken = (await session.execute(others)).scalar_one()
    assert taken
    for number, words in (("000", "no conoce"), (taken, "otro despacho")):
        assert await resolve_and_expect_refusal(shop, screen, action="honor", tracking_number=number) == ""
        (row,) = screen.content.rows
        assert list(screen.problems) == [f"{row.id}-label"]
        assert words in screen.problems[f"{row.id}-label"]


def test_refusal_text_mentions_marked_fields_only_if_there_are_any() -> None:
    assert text_for(NotAllowed("x"), OFFICE) != FAILURE
    assert "marcados" not in text_for(InvalidData("x"), OFFICE)
    assert "marcados" in text_for(InvalidData("x", fields={"code": "Falta."}), OFFICE)


async def test_partly_paid_order_is_sent_after_two_decisions_on_the_screen(
    shop: Shop,
    clients: tuple[httpx.AsyncClient, ...],
    variant_id: str,
    browser_of: BrowserFactory,
    screen: Any,
) -> None:
    """Accept the payment, then send the order as it is. Until then it is not packed, and its screen says why."""
    order_id, session_id = await place_order_at_bank(shop, clients[0], variant_id)
    await approve_payment(shop, session_id, "50000")
    order: Any = await (await browser_of(Role.OWNER, f"/oficina/pedidos/{order_id}")).get_state(OrderState)

    async def decide(kind: str) -> None:
        await AttentionState.event_handlers["load"].fn(screen)
        (row,) = screen.content.rows
        assert (row.kind, "$ 50.000" in row.facts.replace("\N{NO-BREAK SPACE}", " ")) == (kind, True)
        await AttentionState.event_handlers["resolve"].fn(screen, {"id": row.id, "action": "honor"})
        assert screen.announcement.tone == "news"

    async def pack() -> tuple[bool, list[str]]:
        await OrderState.event_handlers["load"].fn(order)
        await OrderState.event_handlers["pack"].fn(order)
        return order.announcement.tone == "news", [chip.text for chip in order.content.chips]

    await decide("amount_differs")
    assert await pack() == (False, ["Pagado en parte", "Por empacar"])
    assert "faltan" in order.content.payment.difference
    await decide("paid_in_part")
    is_packed, chips = await pack()
    assert (is_packed, chips[0]) == (True, "Pagado en parte")
    await AttentionState.event_handlers["load"].fn(screen)
    assert screen.content.rows == []
