"""The sizes of a run.

| fault | outcome |
|---|---|
| a test belongs to no size | `all` has every test |
| `make test` forgets a test in all its variants | it has exactly one, or all where both databases are due |
| another variant is chosen in the next run, or in another worker | the choice depends on the test's id alone |
| a table names a test that was moved or renamed | its file and its function are looked for |
| docs/testing.md names other groups than the tables | the two are compared |
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from pathlib import Path, PurePath
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests import sizes
from tests.backend import rivals
from tests.sizes import ALL_VARIANTS, COLLECTED, GUARDING, ONLY_ALL, ONLY_ALL_TESTS, Size

ROOT = Path(__file__).parent.parent
NAMED = (*ALL_VARIANTS, *ONLY_ALL_TESTS, *sizes.NOT_QUICK, *sizes.QUICK_FOLDERS)


def item(nodeid: str, fixtures: tuple[str, ...] = (), **parameters: str) -> pytest.Item:
    """Return what the selection reads of a collected test."""
    callspec = SimpleNamespace(params=parameters)
    return cast(pytest.Item, SimpleNamespace(nodeid=nodeid, fixturenames=fixtures, callspec=callspec))


def pair(base: str) -> list[pytest.Item]:
    return [item(f"{base}[{kind}]", database_url=kind) for kind in sizes.DATABASES]


@pytest.fixture
def collected(request: pytest.FixtureRequest) -> tuple[pytest.Item, ...]:
    """Return the tests that this run collected: all of them in a run of the whole suite."""
    return request.config.stash[COLLECTED]


def test_every_size_holds_what_the_smaller_one_has(collected: tuple[pytest.Item, ...]) -> None:
    """`quick` is always on SQLite: a test that `test` runs on PostgreSQL counts as the same."""

    def tests(size: Size) -> set[str]:
        names = sizes.members(collected, size)
        return {
            sizes.base_id(one.nodeid, sizes.variant_of(one) or "-")
            for one in collected
            if one.nodeid in names
        }

    assert sizes.members(collected, Size.ALL) == {one.nodeid for one in collected}
    assert tests(Size.QUICK) <= tests(Size.TEST) <= tests(Size.ALL)


def test_each_test_is_in_one_variant_or_in_all(collected: tuple[pytest.Item, ...]) -> None:
    chosen = sizes.members(collected, Size.TEST)
    variants: dict[str, list[pytest.Item]] = defaultdict(list)
    for one in collected:
        if not one.nodeid.startswith(ONLY_ALL_TESTS):
            variants[sizes.base_id(one.nodeid, sizes.variant_of(one) or "-")].append(one)
    for base, group in variants.items():
        due = len(group) if sizes.has_all_variants(group[0]) else 1
        assert sum(one.nodeid in chosen for one in group) == due, base


def test_choice_depends_on_the_id_alone() -> None:
    """Half of the tests go to each database; the two named ones are pinned."""
    tests = [one for number in range(400) for one in pair(f"tests/backend/staff/test_x.py::test_{number}")]
    chosen = sizes.members(tests, Size.TEST)
    assert chosen == sizes.members(reversed(tests), Size.TEST)
    assert len(chosen) == 400
    assert 160 < sum("postgresql" in name for name in chosen) < 240
    assert sizes.members(pair("tests/backend/mail/test_mails.py::test_a"), Size.TEST) == {
        "tests/backend/mail/test_mails.py::test_a[postgresql]"
    }
    assert sizes.members(pair("tests/backend/mail/test_mails.py::test_c"), Size.TEST) == {
        "tests/backend/mail/test_mails.py::test_c[sqlite]"
    }


def test_named_case_of_one_variant_always_runs() -> None:
    for one in pair("tests/backend/mail/test_mails.py::test_a"):
        assert sizes.members([one], Size.TEST) == {one.nodeid}


@pytest.mark.parametrize(
    "base",
    [
        "tests/backend/payment/test_states.py::test_a",
        "tests/backend/checkout/test_buying.py::test_a",
        "tests/backend/inventory/test_service.py::test_a",
        "tests/backend/jobs/test_jobs.py::test_a",
        "tests/backend/cart/test_lines.py::test_a",
        "tests/backend/migrations/test_upgrade.py::test_a",
        "tests/backend/rate_limit/test_limiter.py::test_a",
        "tests/backend/catalog/search/test_index.py::test_a",
        "tests/backend/catalog/search/test_search_ranking.py::test_a",
    ],
)
def test_packages_of_money_and_stock_run_on_both_databases(base: str) -> None:
    tests = pair(base)
    assert sizes.members(tests, Size.TEST) == {one.nodeid for one in tests}


def test_all_that_counts_for_coverage_runs_on_both_databases() -> None:
    """Only the run on SQLite is traced."""
    assert set(GUARDING) <= set(ALL_VARIANTS)


async def one_writer() -> None:
    """Write alone, like a test without rivals."""


async def two_writers() -> None:
    """Write twice at the same time, in an inner function."""

    async def both() -> None:
        await asyncio.gather(one_writer(), one_writer())

    await both()


async def a_rival() -> None:
    """Write while an injected rival does."""
    await rivals.overtaken(cast(Any, None), cast(Any, None), one_writer)


@pytest.mark.parametrize(("function", "expected"), [(one_writer, 1), (two_writers, 2), (a_rival, 2)])
def test_rivals_meet_on_both_databases(function: Callable[[], Awaitable[None]], expected: int) -> None:
    tests = pair("tests/backend/mail/test_mails.py::test_a")
    for one in tests:
        one.function = function  # type: ignore[attr-defined]
    assert len(sizes.members(tests, Size.TEST)) == expected


def test_tables_name_tests_there_are() -> None:
    """Names are beginnings of test ids: a folder, a file, or a function in a file."""
    unknown = []
    for name in NAMED:
        file, _, function = name.partition("::")
        is_known = any(ROOT.glob(f"{file}*"))
        if is_known and function:
            is_known = f"def {function.partition('[')[0]}" in (ROOT / file).read_text("utf-8")
        unknown += [] if is_known else [name]
    assert unknown == []


@pytest.mark.parametrize(
    ("fixtures", "parameters", "is_quick"),
    [
        ((), {}, True),
        (("sqlite_url",), {"database_url": "sqlite"}, True),
        (("database_url",), {"database_url": "postgresql"}, False),
        (("postgresql", "postgresql_url"), {}, False),
        (("redis_url",), {}, False),
    ],
)
def test_quick_has_no_server(fixtures: tuple[str, ...], parameters: dict[str, str], is_quick: bool) -> None:
    one = item("tests/backend/staff/test_x.py::test_a", fixtures, **parameters)
    assert sizes.is_quick(one) is is_quick


@pytest.mark.parametrize(
    ("path", "is_ignored"),
    [
        ("tests", False),
        ("tests/backend", False),
        ("tests/backend/cart/test_lines.py", False),
        ("tests/e2e", True),
    ],
)
def test_folders_without_quick_tests_are_not_even_imported(path: str, is_ignored: bool) -> None:
    assert sizes.is_ignored(PurePath(path), Size.QUICK) is is_ignored
    assert not sizes.is_ignored(PurePath(path), Size.TEST)


def test_the_page_names_every_group_that_only_test_all_runs() -> None:
    page = (ROOT / "docs" / "testing.md").read_text("utf-8")
    table = page.partition("\n## What only `make test-all` runs\n")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]
    assert rows == [f"| {group.name} | {group.reason} |" for group in ONLY_ALL]
