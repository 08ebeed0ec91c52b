"""Effect of a bulk change on one product."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.catalog.bulk.changes import (
    Action,
    Change,
    ChangedValue,
    CurrentValues,
    PricedVariant,
    Problem,
    compute_changes,
)
from backend.core.errors import InvalidData
from backend.pricing import percent_of


def make_values(*variants: tuple[int, int | None]) -> CurrentValues:
    rows = [PricedVariant(f"variant_{number}", *one) for number, one in enumerate(variants)]
    return CurrentValues("published", False, None, False, rows)


def new_prices(change: Change, *variants: tuple[int, int | None]) -> object:
    """Return the new prices, or the reason for refusing the product."""
    values = compute_changes(change, make_values(*variants))
    return values if isinstance(values, Problem) else [tuple(one.after) for one in values]


@pytest.mark.parametrize(
    ("percent", "step", "price", "expected"),
    [
        (20, 50, (50_000, None), [(40_000, 50_000)]),
        (20, 50, (40_000, 50_000), []),  # repeating it changes nothing
        (30, 50, (40_000, 50_000), [(35_000, 50_000)]),
        (15, 50, (9_990, None), [(8_450, 9_990)]),  # rounded down: the discount is never smaller than stated
        (15, 100, (9_990, None), [(8_400, 9_990)]),
        (15, 1, (9_990, None), [(8_491, 9_990)]),
        (20, 50, (40_000, 40_000), [(32_000, 40_000)]),  # a compare-at price that is not higher is ignored
        (90, 1000, (9_000, None), Problem.NOT_LOWER),
        (1, 1, (0, None), Problem.NOT_LOWER),
    ],
)
def test_sale_price_is_rounded_down(
    percent: int, step: int, price: tuple[int, int | None], expected: object
) -> None:
    assert new_prices(Change(Action.SALE, percent=percent, step=step), price) == expected


@pytest.mark.parametrize(
    ("percent", "step", "price", "expected"),
    [
        (10, 50, (50_000, None), [(55_000, None)]),
        (-10, 50, (50_000, None), [(45_000, None)]),
        (10, 50, (40_000, 50_000), [(44_000, 55_000)]),  # products on sale stay on sale
        (3, 100, (9_990, None), [(10_300, None)]),
        (-90, 1000, (400, None), Problem.NOT_LOWER),
        (300, 50, (10**9, None), Problem.TOO_DEAR),
        (1, 1000, (100_000, 100_100), Problem.NOT_LOWER),  # both prices would be equal
    ],
)
def test_prices_change_by_a_percentage(
    percent: int, step: int, price: tuple[int, int | None], expected: object
) -> None:
    assert new_prices(Change(Action.PRICES, percent=percent, step=step), price) == expected


def test_end_of_a_sale_restores_the_price() -> None:
    change = Change(Action.END_SALE)
    assert new_prices(change, (40_000, 50_000), (9_000, None)) == [(50_000, None)]
    assert new_prices(change, (40_000, None)) == []


@given(st.integers(1, 10**9), st.integers(1, 90), st.sampled_from((1, 50, 100, 1000)))
def test_discount_is_at_least_the_stated_percentage(price: int, percent: int, step: int) -> None:
    values = compute_changes(Change(Action.SALE, percent=percent, step=step), make_values((price, None)))
    if not isinstance(values, Problem):
        (value,) = values
        new, old = value.after
        assert 0 < new < old == price
        assert (price - new) * 100 >= price * percent
        assert new % step == 0
        again = compute_changes(Change(Action.SALE, percent=percent, step=step), make_values((new, old)))
        assert again == []


def test_price_halfway_between_two_steps_is_rounded_up() -> None:
    assert [percent_of(price, 100, 50) for price in (24, 25, 75, 74)] == [0, 50, 100, 50]


@pytest.mark.parametrize(
    ("action", "facts", "field", "expected"),
    [
        (
            Action.PUBLISH,
            CurrentValues("draft", False, None, False, [PricedVariant("v", 1, None)]),
            "status",
            "published",
        ),
        (Action.HIDE, CurrentValues("published", False, None, False, []), "status", "draft"),
        (Action.FEATURE, CurrentValues("draft", False, None, False, []), "featured", True),
        (Action.UNFEATURE, CurrentValues("draft", True, None, False, []), "featured", False),
        (Action.COLLECTION, CurrentValues("draft", True, "pcol_2", False, []), "collection_id", "pcol_1"),
        (Action.ADD_TO_CATEGORY, CurrentValues("draft", True, None, False, []), "category", True),
        (Action.REMOVE_FROM_CATEGORY, CurrentValues("draft", True, None, True, []), "category", False),
    ],
)
def test_each_bulk_action_changes_its_own_field(
    action: Action, facts: CurrentValues, field: str, expected: object
) -> None:
    values = compute_changes(Change(action, "pcol_1"), facts)
    assert not isinstance(values, Problem)
    assert [(one.field, one.after) for one in values] == [(field, expected)]


@pytest.mark.parametrize(
    ("action", "status", "is_in"),
    [
        (Action.PUBLISH, "published", False),
        (Action.HIDE, "draft", False),
        (Action.HIDE, "rejected", False),
        (Action.UNFEATURE, "draft", False),
        (Action.ADD_TO_CATEGORY, "draft", True),
        (Action.REMOVE_FROM_CATEGORY, "draft", False),
        (Action.COLLECTION, "draft", False),
    ],
)
def test_value_that_a_bulk_change_leaves_equal_is_not_listed_as_a_change(
    action: Action, status: str, *, is_in: bool
) -> None:
    facts = CurrentValues(status, False, None, is_in, [PricedVariant("v", 1, None)])
    assert compute_changes(Change(action), facts) == []


def test_product_without_a_price_is_refused() -> None:
    without = CurrentValues("draft", False, None, False, [])
    assert compute_changes(Change(Action.PUBLISH), without) is Problem.NO_PRICE
    assert compute_changes(Change(Action.SALE, percent=10), without) is Problem.NO_PRICE
    free = CurrentValues("draft", False, None, False, [PricedVariant("v", 0, None)])
    assert compute_changes(Change(Action.PUBLISH), free) is Problem.NO_PRICE


@pytest.mark.parametrize(
    "change",
    [
        Change(Action.SALE),
        Change(Action.SALE, percent=91),
        Change(Action.SALE, percent=-10),
        Change(Action.PRICES),
        Change(Action.PRICES, percent=-91),
        Change(Action.PRICES, percent=301),
        Change(Action.SALE, percent=10, step=7),
        Change(Action.PUBLISH, percent=10),
        Change(Action.ADD_TO_CATEGORY),
        Change(Action.REMOVE_FROM_CATEGORY),
    ],
)
def test_invalid_bulk_change_input_is_refused(change: Change) -> None:
    with pytest.raises(InvalidData):
        change.check()


def test_each_changed_price_is_listed_with_its_variant() -> None:
    values = compute_changes(Change(Action.SALE, percent=50), make_values((100, None), (200, None)))
    assert values == [
        ChangedValue("variant_0", "price", [100, None], [50, 100]),
        ChangedValue("variant_1", "price", [200, None], [100, 200]),
    ]
