"""What a change of many products does to one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.catalog.bulk.changes import Action, Change, Facts, Priced, Problem, Value, values_of
from backend.core.errors import InvalidData
from backend.pricing import percent_of


def priced(*variants: tuple[int, int | None]) -> Facts:
    rows = [Priced(f"variant_{number}", *one) for number, one in enumerate(variants)]
    return Facts("published", False, None, False, rows)


def after(change: Change, *variants: tuple[int, int | None]) -> object:
    """The prices that change; or why none does."""
    values = values_of(change, priced(*variants))
    return values if isinstance(values, Problem) else [tuple(one.after) for one in values]


@pytest.mark.parametrize(
    ("percent", "step", "price", "wanted"),
    [
        (20, 50, (50_000, None), [(40_000, 50_000)]),
        (20, 50, (40_000, 50_000), []),  # done again, it is done already
        (30, 50, (40_000, 50_000), [(35_000, 50_000)]),
        (15, 50, (9_990, None), [(8_450, 9_990)]),  # rounded down: never less off than said
        (15, 100, (9_990, None), [(8_400, 9_990)]),
        (15, 1, (9_990, None), [(8_491, 9_990)]),
        (20, 50, (40_000, 40_000), [(32_000, 40_000)]),  # an old price that is not higher is none
        (90, 1000, (9_000, None), Problem.NOT_LOWER),
        (1, 1, (0, None), Problem.NOT_LOWER),
    ],
)
def test_a_sale(percent: int, step: int, price: tuple[int, int | None], wanted: object) -> None:
    assert after(Change(Action.SALE, percent=percent, step=step), price) == wanted


@pytest.mark.parametrize(
    ("percent", "step", "price", "wanted"),
    [
        (10, 50, (50_000, None), [(55_000, None)]),
        (-10, 50, (50_000, None), [(45_000, None)]),
        (10, 50, (40_000, 50_000), [(44_000, 55_000)]),  # what is on sale stays on sale
        (3, 100, (9_990, None), [(10_300, None)]),
        (-90, 1000, (400, None), Problem.NOT_LOWER),
        (300, 50, (10**9, None), Problem.TOO_DEAR),
        (1, 1000, (100_000, 100_100), Problem.NOT_LOWER),  # both would be the same
    ],
)
def test_prices(percent: int, step: int, price: tuple[int, int | None], wanted: object) -> None:
    assert after(Change(Action.PRICES, percent=percent, step=step), price) == wanted


def test_a_sale_ends() -> None:
    change = Change(Action.END_SALE)
    assert after(change, (40_000, 50_000), (9_000, None)) == [(50_000, None)]
    assert after(change, (40_000, None)) == []


@given(st.integers(1, 10**9), st.integers(1, 90), st.sampled_from((1, 50, 100, 1000)))
def test_a_sale_gives_what_it_says(price: int, percent: int, step: int) -> None:
    values = values_of(Change(Action.SALE, percent=percent, step=step), priced((price, None)))
    if not isinstance(values, Problem):
        (value,) = values
        new, old = value.after
        assert 0 < new < old == price
        assert (price - new) * 100 >= price * percent
        assert new % step == 0
        again = values_of(Change(Action.SALE, percent=percent, step=step), priced((new, old)))
        assert again == []


def test_halves_go_up() -> None:
    assert [percent_of(price, 100, 50) for price in (24, 25, 75, 74)] == [0, 50, 100, 50]


@pytest.mark.parametrize(
    ("action", "facts", "field", "wanted"),
    [
        (Action.PUBLISH, Facts("draft", False, None, False, [Priced("v", 1, None)]), "status", "published"),
        (Action.HIDE, Facts("published", False, None, False, []), "status", "draft"),
        (Action.FEATURE, Facts("draft", False, None, False, []), "featured", True),
        (Action.UNFEATURE, Facts("draft", True, None, False, []), "featured", False),
        (Action.COLLECTION, Facts("draft", True, "pcol_2", False, []), "collection_id", "pcol_1"),
        (Action.ADD_TO_CATEGORY, Facts("draft", True, None, False, []), "category", True),
        (Action.REMOVE_FROM_CATEGORY, Facts("draft", True, None, True, []), "category", False),
    ],
)
def test_what_is_not_so_is_made_so(action: Action, facts: Facts, field: str, wanted: object) -> None:
    values = values_of(Change(action, "pcol_1"), facts)
    assert not isinstance(values, Problem)
    assert [(one.field, one.after) for one in values] == [(field, wanted)]


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
def test_what_is_so_stays(action: Action, status: str, *, is_in: bool) -> None:
    facts = Facts(status, False, None, is_in, [Priced("v", 1, None)])
    assert values_of(Change(action), facts) == []


def test_nothing_without_a_price_is_published_or_priced() -> None:
    without = Facts("draft", False, None, False, [])
    assert values_of(Change(Action.PUBLISH), without) is Problem.NO_PRICE
    assert values_of(Change(Action.SALE, percent=10), without) is Problem.NO_PRICE
    free = Facts("draft", False, None, False, [Priced("v", 0, None)])
    assert values_of(Change(Action.PUBLISH), free) is Problem.NO_PRICE


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
def test_what_makes_no_sense_is_refused(change: Change) -> None:
    with pytest.raises(InvalidData):
        change.check()


def test_a_value_is_one_of_its_variant() -> None:
    values = values_of(Change(Action.SALE, percent=50), priced((100, None), (200, None)))
    assert values == [
        Value("variant_0", "price", [100, None], [50, 100]),
        Value("variant_1", "price", [200, None], [100, 200]),
    ]
