"""Ids: `new_id` sorts by time, and `secret_id` cannot be guessed from other ids."""

from itertools import pairwise

import pytest
from sqlmodel import SQLModel
from ulid import ULID

from backend.cart.models import Cart
from backend.core.ids import new_id, secret_id
from backend.customers.models import Customer, CustomerAddress, GuestCustomer, Login
from backend.operations import table_registry  # noqa: F401 - registers all tables
from backend.payment.models import PaymentCollection, PaymentSession
from backend.payment.sessions import generate_invoice
from backend.staff.models import Staff


def number(one: str) -> int:
    return int(ULID.from_str(one.rpartition("_")[2]))


def test_new_ids_sort_in_creation_order() -> None:
    made = [new_id("img") for _ in range(1000)]
    assert made == sorted(made)


def test_secret_ids_are_too_far_apart_to_be_guessed() -> None:
    """Check that 1,000 secret ids have large gaps.

    With 80 random bits, two ids come within 2**40 of each other once in 2**39, so never among a thousand.
    """
    made = sorted(number(secret_id("cart")) for _ in range(1000))
    low = [one % 2**80 for one in made]
    assert min(abs(one - other) for one, other in pairwise(low)) > 2**40
    assert min(abs(number(new_id("a")) - number(secret_id("b"))) for _ in range(1000)) > 2**40


def test_secret_id_contains_its_creation_time() -> None:
    before, one, after = new_id("a"), secret_id("a"), new_id("a")
    assert before[:12] <= one[:12] <= after[:12]


@pytest.mark.parametrize(
    "model", [Cart, PaymentCollection, PaymentSession, Customer, CustomerAddress, GuestCustomer, Staff, Login]
)
def test_models_that_anyone_can_read_by_id_have_secret_ids(model: type[SQLModel]) -> None:
    make = model.model_fields["id"].get_default
    pairs = [(make(call_default_factory=True), make(call_default_factory=True)) for _ in range(20)]
    assert min(abs(number(one) - number(other)) for one, other in pairs) > 2**40


def test_order_ids_cannot_be_guessed() -> None:
    orders = [number(Cart(region_id="r", sales_channel_id="s").order_id) for _ in range(20)]
    assert min(abs(one - other) for one, other in pairwise(sorted(one % 2**80 for one in orders))) > 2**40


def test_guest_id_does_not_reveal_its_creation_time() -> None:
    """Check that guest ids are random in their time part.

    Anyone who types an e-mail address into a cart sees the id of its guest, and must not learn about earlier
    purchases.
    """
    times = [number(GuestCustomer(email="ana@example.com").id) >> 80 for _ in range(100)]
    assert min(abs(one - other) for one, other in pairwise(sorted(times))) > 1000
    assert max(times) - min(times) > 2**46


def test_cart_id_cannot_be_derived_from_its_order() -> None:
    carts = [Cart(region_id="r", sales_channel_id="s") for _ in range(20)]
    assert min(abs(number(cart.id) - number(cart.order_id)) for cart in carts) > 2**40


def test_payment_invoice_numbers_cannot_be_guessed() -> None:
    made = [int(ULID.from_str(generate_invoice()[2:])) for _ in range(20)]
    assert all(generate_invoice().startswith("TR") for _ in range(3))
    assert min(abs(one - other) for one, other in pairwise(made)) > 2**40
