import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.shipping.packages import DEFAULT_PACKAGE, Item, Package, limit_content_value, pack_items

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
def test_unmeasured_item_uses_the_default_package(item: Item) -> None:
    assert pack_items([item]) == (Package(weight=1, length=20, height=20, width=20),)


def test_measured_item_is_a_package_with_the_longest_side_first() -> None:
    assert pack_items([Item(1, weight=2.5, length=10, height=42.2, width=7)]) == (Package(2.5, 43, 10, 7),)


def test_item_with_only_a_weight_keeps_its_weight() -> None:
    assert pack_items([Item(1, weight=3.2)]) == (Package(3.2, 20, 20, 20),)


def test_item_with_only_measured_sides_keeps_its_sides() -> None:
    assert pack_items([Item(1, length=50, height=30, width=10)]) == (Package(1, 50, 30, 10),)


def test_light_item_has_the_minimum_weight() -> None:
    assert pack_items([Item(3, weight=0.05, length=5, height=5, width=5)]) == (Package(1, 8, 8, 8),)


def test_weight_of_a_package_is_the_exact_sum_of_its_items() -> None:
    assert pack_items([Item(3, weight=0.1), Item(7, weight=0.4)])[0].weight == 3.1


def test_two_units_without_measures_become_one_cube() -> None:
    assert pack_items([Item(2)]) == (Package(2, 26, 26, 26),)  # 26³ holds 2 · 20³, 25³ does not


def test_box_is_as_long_as_its_longest_item() -> None:
    assert pack_items([Item(1, 1, 90, 10, 5), Item(1, 1, 40, 30, 2)]) == (Package(2, 90, 30, 5),)


def test_two_flat_boxes_are_stacked_along_their_shortest_side() -> None:
    assert pack_items([Item(2, 1, 60, 40, 5)]) == (Package(2, 60, 40, 10),)


def test_too_heavy_items_are_split_into_several_packages() -> None:
    assert [package.weight for package in pack_items([Item(5, weight=400)])] == [800, 800, 400]


def test_weight_at_the_limit_fits_in_one_package() -> None:
    assert [package.weight for package in pack_items([Item(10, weight=100)])] == [1000]


def test_too_large_items_are_split_into_several_packages() -> None:
    assert pack_items([Item(2, 10, 300, 300, 200)]) == (Package(10, 300, 300, 200),) * 2


def test_unit_above_the_carriers_limits_is_reduced_to_the_limits() -> None:
    assert pack_items([Item(1, weight=5000, length=900, height=10, width=10)]) == (
        Package(1000, 300, 10, 10),
    )


def test_empty_list_of_items_gives_the_default_package() -> None:
    assert pack_items([]) == (DEFAULT_PACKAGE,)
    assert pack_items([Item(0)]) == (DEFAULT_PACKAGE,)


@given(st.lists(items, max_size=6))
def test_packages_are_within_the_carriers_limits(bought: list[Item]) -> None:
    for package in pack_items(bought):
        assert 1 <= package.weight <= 1000
        assert 1 <= package.width <= package.height <= package.length <= 300
        assert all(isinstance(side, int) for side in (package.length, package.height, package.width))


@given(
    st.lists(st.builds(Item, quantity=st.integers(1, 5), weight=st.floats(0.01, 40)), min_size=1, max_size=6)
)
def test_packages_keep_the_total_weight_and_volume(bought: list[Item]) -> None:
    packages = pack_items(bought)
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
def test_every_unit_fits_into_a_package(bought: list[Item]) -> None:
    packages = pack_items(bought)
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
def test_packages_do_not_depend_on_the_sequence_of_items(bought: list[Item]) -> None:
    assert pack_items(bought) == pack_items(list(reversed(bought)))


@pytest.mark.parametrize(
    ("amount", "declared"),
    [(-5, 0), (0, 0), (89_900, 89_900), (3_000_000, 3_000_000), (3_000_001, 3_000_000)],
)
def test_declared_value_is_within_the_carriers_limits(amount: int, declared: int) -> None:
    assert limit_content_value(amount) == declared
