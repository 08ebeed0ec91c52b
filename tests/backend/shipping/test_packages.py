import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.shipping.packages import DEFAULT_PACKAGE, Item, Package, content_value, packages_for

measures = st.none() | st.floats(allow_nan=True, allow_infinity=True) | st.floats(0.1, 400)
items = st.builds(
    Item, quantity=st.integers(1, 12), weight=measures, length=measures, height=measures, width=measures
)


@pytest.mark.parametrize(
    "item",
    [
        Item(1),
        Item(1, weight=None, length=30, height=None, width=10),
        Item(1, weight=1),
        Item(1, weight=0, length=0, height=10, width=10),
        Item(1, weight=-2, length=-1, height=10, width=10),
        Item(1, weight=math.nan, length=math.nan, height=5, width=5),
        Item(1, weight=math.inf, length=math.inf, height=5, width=5),
    ],
)
def test_what_was_not_measured_is_the_default_package(item: Item) -> None:
    assert packages_for([item]) == (Package(weight=1, length=20, height=20, width=20),)


def test_a_measured_item_is_its_own_package_with_the_longest_side_first() -> None:
    assert packages_for([Item(1, weight=2.5, length=10, height=42.2, width=7)]) == (Package(2.5, 43, 10, 7),)


def test_a_weight_without_sizes_keeps_the_weight() -> None:
    assert packages_for([Item(1, weight=3.2)]) == (Package(3.2, 20, 20, 20),)


def test_sizes_without_a_weight_keep_the_sizes() -> None:
    assert packages_for([Item(1, length=50, height=30, width=10)]) == (Package(1, 50, 30, 10),)


def test_a_feather_weighs_what_the_carrier_takes_at_least() -> None:
    assert packages_for([Item(3, weight=0.05, length=5, height=5, width=5)]) == (Package(1, 8, 8, 8),)


def test_weights_add_up_to_the_gram() -> None:
    assert packages_for([Item(3, weight=0.1), Item(7, weight=0.4)])[0].weight == 3.1


def test_two_default_packages_become_one_cube_that_holds_both() -> None:
    assert packages_for([Item(2)]) == (Package(2, 26, 26, 26),)  # 26³ holds 2 · 20³, 25³ does not


def test_the_box_is_no_shorter_than_its_longest_item() -> None:
    assert packages_for([Item(1, 1, 90, 10, 5), Item(1, 1, 40, 30, 2)]) == (Package(2, 90, 30, 5),)


def test_two_flat_boxes_grow_in_their_shortest_side() -> None:
    assert packages_for([Item(2, 1, 60, 40, 5)]) == (Package(2, 60, 40, 10),)


def test_too_heavy_for_one_package_is_several() -> None:
    assert [package.weight for package in packages_for([Item(5, weight=400)])] == [800, 800, 400]


def test_exactly_the_limit_is_one_package() -> None:
    assert [package.weight for package in packages_for([Item(10, weight=100)])] == [1000]


def test_too_large_for_one_package_is_several() -> None:
    assert packages_for([Item(2, 10, 300, 300, 200)]) == (Package(10, 300, 300, 200),) * 2


def test_a_unit_beyond_the_limits_is_taken_at_the_limit() -> None:
    assert packages_for([Item(1, weight=5000, length=900, height=10, width=10)]) == (
        Package(1000, 300, 10, 10),
    )


def test_nothing_is_the_default_package() -> None:
    assert packages_for([]) == (DEFAULT_PACKAGE,)
    assert packages_for([Item(0)]) == (DEFAULT_PACKAGE,)


@given(st.lists(items, max_size=6))
def test_every_package_is_within_the_limits_of_the_carrier(bought: list[Item]) -> None:
    for package in packages_for(bought):
        assert 1 <= package.weight <= 1000
        assert 1 <= package.width <= package.height <= package.length <= 300
        assert all(isinstance(side, int) for side in (package.length, package.height, package.width))


@given(
    st.lists(st.builds(Item, quantity=st.integers(1, 5), weight=st.floats(0.01, 40)), min_size=1, max_size=6)
)
def test_no_weight_and_no_volume_is_lost(bought: list[Item]) -> None:
    packages = packages_for(bought)
    assert (
        sum(package.weight for package in packages)
        >= sum(i.quantity * (i.weight or 0) for i in bought) - 0.01
    )
    volume = sum(package.length * package.height * package.width for package in packages)
    assert volume >= 8000 * sum(item.quantity for item in bought)


@given(
    st.lists(
        st.builds(
            Item, st.integers(1, 4), st.floats(0.1, 20), st.floats(1, 90), st.floats(1, 90), st.floats(1, 90)
        ),
        min_size=1,
        max_size=5,
    )
)
def test_every_unit_fits_into_some_package(bought: list[Item]) -> None:
    packages = packages_for(bought)
    for item in bought:
        sides = sorted((item.length or 0, item.height or 0, item.width or 0))
        assert any(
            all(
                side <= room
                for side, room in zip(sides, (package.width, package.height, package.length), strict=True)
            )
            for package in packages
        )


@given(st.lists(items, max_size=5))
def test_the_order_of_the_cart_does_not_matter(bought: list[Item]) -> None:
    assert packages_for(bought) == packages_for(list(reversed(bought)))


@pytest.mark.parametrize(
    ("amount", "declared"),
    [(-5, 0), (0, 0), (89_900, 89_900), (3_000_000, 3_000_000), (3_000_001, 3_000_000)],
)
def test_the_declared_value_stays_within_what_the_carrier_takes(amount: int, declared: int) -> None:
    assert content_value(amount) == declared
