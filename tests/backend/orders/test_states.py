"""The allowed transitions of an order's states, and no others (backend.orders.states)."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.core.transitions import StepNotAllowed
from backend.orders.models import Order
from backend.orders.states import (
    PAYMENT_STEPS,
    STATUS_STEPS,
    OrderStatus,
    PaymentStatus,
    compute_payment_status,
    move,
)


def make_order(
    status: OrderStatus = OrderStatus.PENDING, payment: PaymentStatus = PaymentStatus.AWAITING
) -> Order:
    return Order(
        id="order_1",
        cart_id="cart_1",
        region_id="reg_1",
        sales_channel_id="sc_1",
        email="ana@example.com",
        status=status,
        payment_status=payment,
        item_total=50_000,
        shipping_total=10_000,
        total=60_000,
        shipping_name="Envío",
    )


@pytest.mark.parametrize(("before", "after"), [*product(PaymentStatus, PaymentStatus)])
def test_payment_status_of_an_order_changes_only_along_listed_transitions(
    before: PaymentStatus, after: PaymentStatus
) -> None:
    order = make_order(payment=before)
    if before is after or (before, after) in set(PAYMENT_STEPS):
        move(order, payment=after)
        assert order.payment_status == after
    else:
        with pytest.raises(StepNotAllowed):
            move(order, payment=after)
        assert order.payment_status == before


@pytest.mark.parametrize(("before", "after"), [*product(OrderStatus, OrderStatus)])
def test_order_status_changes_only_along_listed_transitions(before: OrderStatus, after: OrderStatus) -> None:
    order = make_order(before)
    assert before is after or (before, after) in set(STATUS_STEPS)
    move(order, status=after)
    assert order.status == after
    assert (order.canceled_at is not None) == (after is OrderStatus.CANCELED)


def test_refused_transition_changes_neither_order_nor_payment_status() -> None:
    order = make_order(payment=PaymentStatus.CAPTURED)
    with pytest.raises(StepNotAllowed):
        move(order, status=OrderStatus.CANCELED, payment=PaymentStatus.CANCELED)
    assert (order.status, order.payment_status, order.canceled_at) == ("pending", "captured", None)


def test_paid_at_is_the_time_of_the_first_payment() -> None:
    order = make_order()
    move(order, payment=PaymentStatus.CAPTURED)
    paid_at = order.paid_at
    assert paid_at is not None
    move(order, payment=PaymentStatus.REFUNDED)
    move(order, payment=PaymentStatus.CAPTURED)
    assert order.paid_at == paid_at


@pytest.mark.parametrize(
    ("captured", "refunded", "status"),
    [
        (60_000, 0, "captured"),
        (59_999, 0, "partially_captured"),
        (60_001, 0, "captured"),
        (60_000, 1, "partially_refunded"),
        (60_000, 60_000, "refunded"),
        (120_000, 60_000, "captured"),  # paid twice, refunded once
        (20_000, 20_000, "refunded"),
    ],
)
def test_payment_status_follows_the_captured_and_refunded_amounts(
    captured: int, refunded: int, status: str
) -> None:
    assert compute_payment_status(60_000, captured, refunded) == status


@given(st.integers(0, 10**9), st.integers(1, 10**9), st.data())
def test_order_has_status_captured_only_if_its_total_is_paid(
    owed: int, captured: int, data: st.DataObject
) -> None:
    refunded = data.draw(st.integers(0, captured))
    status = compute_payment_status(owed, captured, refunded)
    assert (status is PaymentStatus.CAPTURED) == (captured - refunded >= owed)


def test_payment_status_without_a_captured_amount_raises_an_error() -> None:
    with pytest.raises(ValueError, match="nothing was captured"):
        compute_payment_status(60_000, 0, 0)
