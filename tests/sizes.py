"""Select the tests of a run by its size: `pytest --size quick`, `--size test` or `--size all` (the default).

Only a run with `--size` leaves tests out, so a test that is named on the command line always runs. The tables below
are the one place that says what `make quick` and `make test` leave out.
"""

import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath

import pytest

from tests.backend.rivals import overtaken


class Size(StrEnum):
    """Size of a run. Each holds the tests of the one before."""

    QUICK = "quick"
    TEST = "test"
    ALL = "all"


@dataclass(frozen=True)
class Group:
    """Tests that only `make test-all` runs, by the beginnings of their ids, and why `make test` does without them."""

    name: str
    tests: tuple[str, ...]
    reason: str


DATABASES = ("sqlite", "postgresql")
WIDTHS = ("320", "1280")
VARIANTS: Mapping[str, tuple[str, ...]] = {
    "database_url": DATABASES,
    "empty_url": DATABASES,
    "kind": DATABASES,
    "page": WIDTHS,
    "width": WIDTHS,
}
"""Parameters whose values give the same test on another database or screen. `make test` runs one of them."""
GUARDING = tuple(
    f"tests/backend/{name}"
    for name in (
        *("payment/", "checkout/", "inventory/", "office/test_stock", "fulfillment/test_locations.py"),
        *("jobs/", "attention/test_attention.py", "test_pricing.py"),
        *("orders/test_contradictions.py", "orders/test_other_amounts.py"),
    )
)
"""Tests that count for the coverage of the guarded packages (`tools/coverage_gate.py`); traced on SQLite."""
ALL_VARIANTS = (
    *GUARDING,
    *(
        f"tests/backend/{name}"
        for name in (
            *("cart/", "migrations/", "test_database.py", "test_rate_limit.py", "customers/test_lock_out.py"),
            *("catalog/test_search", "catalog/test_staff_search.py", "catalog/test_found_pages.py"),
            *("opening/test_lock.py", "returns/test_lock_order.py"),
        )
    ),
    "tests/e2e/test_purchase.py::test_a_toy_is_bought",
)
"""Tests that `make test` runs in every variant, as it does modules with a rival (`tests/backend/rivals.py`)."""
ONLY_ALL = (
    Group(
        "long failures",
        ("tests/failure/test_outage.py", "tests/failure/test_storm.py", "tests/failure/test_wandering.py"),
        "every step of them has its test in `tests/backend/payment/` and `tests/e2e/`",
    ),
)
"""Groups that only `make test-all` runs. docs/testing.md shows the same table."""
ONLY_ALL_TESTS = tuple(test for group in ONLY_ALL for test in group.tests)
QUICK_FOLDERS = ("tests/backend/", "tests/storefront/", "tests/tools/")
"""`make quick` runs only tests of these."""
SLOW_FIXTURES = frozenset({"postgresql", "postgresql_url", "empty_postgresql_url", "redis_url"})
"""Fixtures that start a server."""
NOT_QUICK: tuple[str, ...] = ()
"""Tests that start a process or a server themselves, or need the built pages."""

COLLECTED = pytest.StashKey[tuple[pytest.Item, ...]]()
"""The tests as collected, before any is left out."""


def leave_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Remove from `items` the tests that do not belong to the size of this run."""
    config.stash[COLLECTED] = tuple(items)
    size: Size = config.getoption("size")
    if size is Size.ALL:
        return
    names = members(items, size)
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in names])
    items[:] = [item for item in items if item.nodeid in names]


def is_ignored(path: PurePath, size: Size) -> bool:
    """Return True for a folder without a test of this size.

    Args:
        path: a file or folder, from the project's root.
        size: the size of the run.
    """
    is_outside = not f"{path.as_posix()}/".startswith(QUICK_FOLDERS)
    return size is Size.QUICK and is_outside and path.as_posix() != "tests"


def members(items: Iterable[pytest.Item], size: Size) -> set[str]:
    """Return the ids of the tests that belong to a size."""
    if size is Size.ALL:
        return {item.nodeid for item in items}
    if size is Size.TEST:
        return _once(item for item in items if not item.nodeid.startswith(ONLY_ALL_TESTS))
    return {item.nodeid for item in items if is_quick(item)}


def _once(items: Iterable[pytest.Item]) -> set[str]:
    """Return the ids with one variant of each test, except where all of them are due."""
    groups: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for item in items:
        variant = variant_of(item)
        is_whole = variant is None or has_all_variants(item)
        base = item.nodeid if is_whole else base_id(item.nodeid, variant or "")
        groups[base].append((variant or "", item.nodeid))
    return {choose(base, group) for base, group in groups.items()}


def choose(base: str, group: Iterable[tuple[str, str]]) -> str:
    """Return the id of one variant: always the same for the same `base`.

    Args:
        base: the test's id without its variant.
        group: pairs of a variant and the id of the test in it.
    """
    ordered = sorted(group)
    return ordered[zlib.crc32(base.encode()) % len(ordered)][1]


def variant_of(item: pytest.Item) -> str | None:
    """Return the database or width of a test that runs on several, else None."""
    parameters = getattr(item, "callspec", None)
    given = parameters.params if parameters else {}
    for name, values in VARIANTS.items():
        value = given.get(name)
        if isinstance(value, str) and value in values:
            return value
    return None


def base_id(nodeid: str, variant: str) -> str:
    """Return the id of a test without its variant: `test[sqlite-3]` and `test[postgresql-3]` give the same."""
    return re.sub(rf"(?<=[\[-]){variant}(?=[\]-])", "*", nodeid, count=1)


def has_all_variants(item: pytest.Item) -> bool:
    """Return True for a test that `make test` runs on both databases, or at both widths."""
    module = getattr(item, "module", None)
    has_rivals = any(value is overtaken for value in vars(module).values()) if module else False
    return has_rivals or item.nodeid.startswith(ALL_VARIANTS)


def is_quick(item: pytest.Item) -> bool:
    """Return True for a test of `make quick`: no browser, no server, nothing but SQLite."""
    fixtures = getattr(item, "fixturenames", ())
    return (
        item.nodeid.startswith(QUICK_FOLDERS)
        and not item.nodeid.startswith((*NOT_QUICK, *ONLY_ALL_TESTS))
        and SLOW_FIXTURES.isdisjoint(fixtures)
        and variant_of(item) != "postgresql"
    )
