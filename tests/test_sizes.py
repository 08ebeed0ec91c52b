"""Check the tests of each size of a run.

| fault | outcome |
|---|---|
| a test belongs to no size | `all` has every test |
| `make test` skips a test in all its variants | it has exactly one variant, or all where it needs both databases |
| the next run, or another worker, chooses another variant | the choice depends only on the test's id |
| a table names a test that was moved or renamed | each file and function in a table must exist |
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
from tests.sizes import (
    ALL_VARIANTS,
    BOTH_DATABASES,
    COLLECTED,
    ONLY_ALL,
    ONLY_ALL_TESTS,
    Size,
)

ROOT = Path(__file__).parent.parent
TABLE_ENTRIES = (*ALL_VARIANTS, *ONLY_ALL_TESTS, *sizes.NOT_QUICK, *sizes.QUICK_FOLDERS)


def build_item(nodeid: str, fixtures: tuple[str, ...] = (), **parameters: str) -> pytest.Item:
    """Return a fake collected test, with the attributes that the selection reads."""
    callspec = SimpleNamespace(params=parameters)
    name = nodeid.partition("::")[2]
    return cast(
        pytest.Item, SimpleNamespace(nodeid=nodeid, name=name, fixturenames=fixtures, callspec=callspec)
    )


def build_pair(base: str) -> list[pytest.Item]:
    """Return a test on both databases."""
    return [build_item(f"{base}[{kind}]", database_url=kind) for kind in sizes.DATABASES]


@pytest.fixture
def collected(request: pytest.FixtureRequest) -> tuple[pytest.Item, ...]:
    """Return the tests that this run collected: in a run of the whole suite, all tests."""
    return request.config.stash[COLLECTED]


def test_each_test_size_includes_the_tests_of_the_smaller_size(collected: tuple[pytest.Item, ...]) -> None:
    """Compare the tests without their database: `quick` uses only SQLite, and `test` one of both."""

    def tests(size: Size) -> set[str]:
        names = sizes.select_ids(collected, size)
        return {
            sizes.base_id(test.nodeid, sizes.find_variant(test) or "-")
            for test in collected
            if test.nodeid in names
        }

    assert sizes.select_ids(collected, Size.ALL) == {test.nodeid for test in collected}
    assert tests(Size.QUICK) <= tests(Size.TEST) <= tests(Size.ALL)


def test_make_test_runs_one_variant_of_each_test_or_all_where_required(
    collected: tuple[pytest.Item, ...],
) -> None:
    chosen = sizes.select_ids(collected, Size.TEST)
    variants: dict[str, list[pytest.Item]] = defaultdict(list)
    for test in collected:
        if not test.nodeid.startswith(ONLY_ALL_TESTS):
            variants[sizes.base_id(test.nodeid, sizes.find_variant(test) or "-")].append(test)
    for base, group in variants.items():
        due = len(group) if sizes.has_all_variants(group[0]) else 1
        assert sum(test.nodeid in chosen for test in group) == due, base


def test_chosen_database_variant_depends_only_on_the_test_id() -> None:
    """Check that about half of 400 tests run on each database, and that two tests keep their database."""
    tests = [
        test for number in range(400) for test in build_pair(f"tests/backend/staff/test_x.py::test_{number}")
    ]
    chosen = sizes.select_ids(tests, Size.TEST)
    assert chosen == sizes.select_ids(reversed(tests), Size.TEST)
    assert len(chosen) == 400
    assert 160 < sum("postgresql" in name for name in chosen) < 240
    assert sizes.select_ids(build_pair("tests/backend/mail/test_mails.py::test_a"), Size.TEST) == {
        "tests/backend/mail/test_mails.py::test_a[postgresql]"
    }
    assert sizes.select_ids(build_pair("tests/backend/mail/test_mails.py::test_c"), Size.TEST) == {
        "tests/backend/mail/test_mails.py::test_c[sqlite]"
    }


def test_named_test_variant_is_never_skipped() -> None:
    for test in build_pair("tests/backend/mail/test_mails.py::test_a"):
        assert sizes.select_ids([test], Size.TEST) == {test.nodeid}


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
    tests = build_pair(base)
    assert sizes.select_ids(tests, Size.TEST) == {test.nodeid for test in tests}


def test_tests_of_money_and_stock_run_on_both_databases() -> None:
    assert set(BOTH_DATABASES) <= set(ALL_VARIANTS)


async def one_writer() -> None:
    """Serve as an example of a test with one writer: its code is examined."""


async def two_writers() -> None:
    """Write twice at the same time, in an inner function."""

    async def both() -> None:
        await asyncio.gather(one_writer(), one_writer())

    await both()


async def writer_with_rival() -> None:
    """Write while an injected rival writes."""
    await rivals.run_against_rival(cast(Any, None), cast(Any, None), one_writer)


@pytest.mark.parametrize(
    ("function", "expected"), [(one_writer, 1), (two_writers, 2), (writer_with_rival, 2)]
)
def test_concurrent_writers_run_on_both_databases(
    function: Callable[[], Awaitable[None]], expected: int
) -> None:
    tests = build_pair("tests/backend/mail/test_mails.py::test_a")
    for test in tests:
        test.function = function  # type: ignore[attr-defined]
    assert len(sizes.select_ids(tests, Size.TEST)) == expected


def test_tables_of_test_sizes_list_only_existing_tests() -> None:
    """Check that each name in the tables begins the id of a test: a folder, a file, or a function in a file."""
    unknown = []
    for name in TABLE_ENTRIES:
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
def test_make_quick_excludes_tests_that_need_a_server(
    fixtures: tuple[str, ...], parameters: dict[str, str], is_quick: bool
) -> None:
    test = build_item("tests/backend/staff/test_x.py::test_a", fixtures, **parameters)
    assert sizes.is_quick(test) is is_quick


@pytest.mark.parametrize(
    ("path", "is_ignored"),
    [
        ("tests", False),
        ("tests/backend", False),
        ("tests/backend/cart/test_lines.py", False),
        ("tests/e2e", True),
    ],
)
def test_folders_without_quick_tests_are_not_imported_by_make_quick(path: str, is_ignored: bool) -> None:
    assert sizes.is_ignored(PurePath(path), Size.QUICK) is is_ignored
    assert not sizes.is_ignored(PurePath(path), Size.TEST)


def test_documentation_lists_every_test_group_that_only_test_all_runs() -> None:
    page = (ROOT / "docs" / "testing.md").read_text("utf-8")
    table = page.partition("\n## What only `make test-all` runs\n")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]
    assert rows == [f"| {group.name} | {group.reason} |" for group in ONLY_ALL]
