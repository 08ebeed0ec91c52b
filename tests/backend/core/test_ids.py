"""Ids: sortable ones by time, and ones that nobody can guess from a neighbour."""

from itertools import pairwise

import pytest
from sqlmodel import SQLModel
from ulid import ULID

from backend.cart.models import Cart
from backend.core.ids import new_id, secret_id
from backend.customers.models import Customer, CustomerAddress, GuestCustomer, Login
from backend.operations import table_registry  # noqa: F401 - all of them
from backend.payment.models import PaymentCollection, PaymentSession
from backend.payment.sessions import new_invoice
from backend.staff.models import Staff


def number(one: str) -> int:
    return int(ULID.from_str(one.rpartition("_")[2]))


def test_a_sortable_id_sorts_as_it_was_made() -> None:
    made = [new_id("img") for _ in range(1000)]
    assert made == sorted(made)


def test_a_secret_id_is_no_neighbour_of_any_other() -> None:
    """Of 80 random bits two come within 2**40 of each other once in 2**39: never in a thousand."""
    made = sorted(number(secret_id("cart")) for _ in range(1000))
    low = [one % 2**80 for one in made]
    assert min(abs(one - other) for one, other in pairwise(low)) > 2**40
    assert min(abs(number(new_id("a")) - number(secret_id("b"))) for _ in range(1000)) > 2**40


def test_a_secret_id_says_when_it_was_made() -> None:
    before, one, after = new_id("a"), secret_id("a"), new_id("a")
    assert before[:12] <= one[:12] <= after[:12]


@pytest.mark.parametrize(
    "model", [Cart, PaymentCollection, PaymentSession, Customer, CustomerAddress, GuestCustomer, Staff, Login]
)
def test_what_an_id_opens_has_a_secret_one(model: type[SQLModel]) -> None:
    make = model.model_fields["id"].get_default
    pairs = [(make(call_default_factory=True), make(call_default_factory=True)) for _ in range(20)]
    assert min(abs(number(one) - number(other)) for one, other in pairs) > 2**40


def test_an_orders_id_which_opens_it_for_an_hour_is_told_by_no_other() -> None:
    orders = [number(Cart(region_id="r", sales_channel_id="s").order_id) for _ in range(20)]
    assert min(abs(one - other) for one, other in pairwise(sorted(one % 2**80 for one in orders))) > 2**40


def test_a_guests_id_does_not_say_when_it_was_made() -> None:
    """Whoever types an address into a cart is told its guest's id, and learns nothing of earlier purchases."""
    times = [number(GuestCustomer(email="ana@example.com").id) >> 80 for _ in range(100)]
    assert min(abs(one - other) for one, other in pairwise(sorted(times))) > 1000
    assert max(times) - min(times) > 2**46


def test_a_carts_id_does_not_follow_from_its_orders() -> None:
    carts = [Cart(region_id="r", sales_channel_id="s") for _ in range(20)]
    assert min(abs(number(cart.id) - number(cart.order_id)) for cart in carts) > 2**40


def test_an_invoice_cannot_be_counted_on_from_another() -> None:
    made = [int(ULID.from_str(new_invoice()[2:])) for _ in range(20)]
    assert all(new_invoice().startswith("TR") for _ in range(3))
    assert min(abs(one - other) for one, other in pairwise(made)) > 2**40
