"""Por resolver, as a browser at which the owner is signed in: what a decision that is refused says."""

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
from tests.backend.returns.steps import Sold, of_the_shop, send, sold
from tests.store_defaults import Defaults, make_toy
from tests.store_steps import bought
from tests.storefront.office.conftest import At

GIVEN_BACK = {"action": "refunded", "reference": "0012345678"}


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Labels have numbers of their own."""
    return settings.model_copy(update={"carrier_sandbox": False})


@pytest.fixture
async def clients(shop: Shop, defaults: Defaults) -> AsyncIterator[tuple[httpx.AsyncClient, ...]]:
    """A storefront's and an owner's."""
    async with of_the_shop(shop) as both:
        yield both


@pytest.fixture
async def toy(shop: Shop, defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await make_toy(session, defaults, "trompo", stock=5, price=40_000)


@pytest.fixture
async def paid(shop: Shop, clients: tuple[httpx.AsyncClient, ...], toy: str) -> Sold:
    store, admin = clients
    return await sold(shop, store, admin, toy)


@pytest.fixture
async def screen(browser_of: At) -> Any:
    return await (await browser_of(Role.OWNER, "/oficina/por-resolver")).get_state(AttentionState)


async def raised(shop: Shop, kind: AttentionKind, **about: Any) -> None:
    async with shop.database.transaction() as session:
        await raise_attention(session, kind, message="Something happened", **about)


async def refused(shop: Shop, screen: Any, **typed: str) -> str:
    """What is told of a decision about the one row; it stays open."""
    await AttentionState.event_handlers["load"].fn(screen)
    (row,) = screen.content.rows
    await AttentionState.event_handlers["resolve"].fn(screen, {"id": row.id, **typed})
    async with shop.database.read() as session:
        assert (await session.execute(select(Attention.resolved_at))).scalars().all() == [None]
    assert [one.id for one in screen.content.rows] == [row.id]
    if screen.told is None:
        return ""
    assert screen.told.tone == "problem"
    return str(screen.told.text)


async def test_a_second_payment_of_a_paid_order_is_to_be_given_back(
    shop: Shop, paid: Sold, screen: Any
) -> None:
    async with shop.database.read() as session:
        payment = (await session.execute(select(PaymentSession.id))).scalar_one()
    await raised(
        shop, AttentionKind.APPROVED_LATE, order_id=paid.order_id, payment_session_id=payment, amount=80_000
    )
    assert "ya está pagado" in await refused(shop, screen, action="honor")


async def test_money_of_units_that_are_packed_is_not_given_back_here(
    shop: Shop, clients: tuple[httpx.AsyncClient, ...], paid: Sold, screen: Any
) -> None:
    await send(clients[1], paid)
    await raised(shop, AttentionKind.STOCK_SHORT, order_id=paid.order_id)
    assert "despacho" in await refused(shop, screen, **GIVEN_BACK)


async def test_an_order_without_money_needs_no_units(shop: Shop, paid: Sold, screen: Any) -> None:
    await raised(shop, AttentionKind.STOCK_SHORT, order_id=paid.order_id)
    async with shop.database.transaction() as session:
        await session.execute(update(Order).values(payment_status="refunded"))
    assert "no tiene dinero" in await refused(shop, screen, action="honor")


async def test_nobody_books_an_amount_that_is_not_known(shop: Shop, paid: Sold, screen: Any) -> None:
    async with shop.database.transaction() as session:
        await session.execute(update(PaymentSession).values(captured_amount=None))
        payment = (await session.execute(select(PaymentSession.id))).scalar_one()
    await raised(shop, AttentionKind.AMOUNT_DIFFERS, payment_session_id=payment)
    assert "cuánto" in await refused(shop, screen, **GIVEN_BACK)


async def test_no_order_is_made_of_what_is_not_known(shop: Shop, paid: Sold, screen: Any) -> None:
    async with shop.database.transaction() as session:
        await session.execute(update(PaymentSession).values(snapshot={}))
        for model in (OrderLine, Order):
            await session.execute(delete(model))
        payment = (await session.execute(select(PaymentSession.id))).scalar_one()
    await raised(shop, AttentionKind.PAID_WITHOUT_ORDER, payment_session_id=payment, amount=80_000)
    assert "qué se compró" in await refused(shop, screen, action="honor")


async def test_the_label_of_a_cancelled_order_is_not_bought(
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
    await raised(
        shop,
        AttentionKind.LABEL_TOO_EXPENSIVE,
        order_id=paid.order_id,
        fulfillment_id=parcel.id,
        amount=90_000,
    )
    assert "se canceló" in await refused(shop, screen, action="honor")


async def test_a_job_that_is_gone_does_not_run_again(shop: Shop, screen: Any) -> None:
    await raised(shop, AttentionKind.JOB_FAILED, subject_id="999")
    assert "tarea" in await refused(shop, screen, action="honor")


async def test_what_is_wrong_with_a_labels_number_stands_beside_it(
    shop: Shop, clients: tuple[httpx.AsyncClient, ...], toy: str, screen: Any
) -> None:
    carrier, (store, admin) = shop.sandbox.carrier, clients
    assert carrier is not None
    carrier.faults.plan(Fault.DROP, Operation.SHIPMENT, times=1)
    for status in (502, 200):
        order = await bought(store, toy, 1, price_type="calculated")
        items = {"items": [{"id": order["items"][0]["id"], "quantity": 1}]}
        answer = await admin.post(f"/admin/orders/{order['id']}/fulfillments", json=items)
        assert answer.status_code == status
    async with shop.database.read() as session:
        others = select(Fulfillment.tracking_number).where(Fulfillment.state == "created")
        taken = (await session.execute(others)).scalar_one()
    assert taken
    for number, words in (("000", "no conoce"), (taken, "otro despacho")):
        assert await refused(shop, screen, action="honor", tracking_number=number) == ""
        (row,) = screen.content.rows
        assert list(screen.problems) == [f"{row.id}-label"]
        assert words in screen.problems[f"{row.id}-label"]


def test_a_refusal_is_no_failure_and_marks_nothing() -> None:
    assert text_for(NotAllowed("x"), OFFICE) != FAILURE
    assert "marcados" not in text_for(InvalidData("x"), OFFICE)
    assert "marcados" in text_for(InvalidData("x", fields={"code": "Falta."}), OFFICE)
