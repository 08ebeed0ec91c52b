"""Select the tests of a run by its size: `pytest --size quick`, `--size test` or `--size all` (the default).

Only a run with `--size` leaves tests out, so a test that is named on the command line always runs. The tables below
are the one place that says what `make quick` and `make test` leave out.
"""

import inspect
import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath
from types import CodeType

import pytest


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
        *(
            "payment/",
            "checkout/",
            "inventory/",
            "office/stock/",
            "warehouse/",
            "fulfillment/test_locations.py",
        ),
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
            *(
                "cart/",
                "migrations/",
                "core/db/test_database.py",
                "rate_limit/",
                "customers/test_lock_out.py",
            ),
            *("catalog/search/", "catalog/api/test_list_cache.py"),
            *("operations/opening/test_database_lock.py", "returns/test_lock_order.py"),
        )
    ),
    "tests/e2e/test_purchase.py::test_a_toy_is_bought",
)
"""Tests that `make test` runs in every variant, as it does those with rivals."""
RIVALS = frozenset({"overtaken", "gather", "TaskGroup"})
"""A test that calls one of these has several writers at once: see `tests/backend/rivals.py`."""
ONLY_ALL = (
    Group(
        "disasters that take minutes",
        (
            "tests/failure/test_outage.py",
            "tests/failure/test_storm.py",
            "tests/failure/test_wandering.py",
            "tests/failure/test_crash.py::test_a_killed_shop_loses_no_payment[another bank]",
        ),
        "`test_crash.py` kills the shop at each step of a payment, `test_cuts.py` cuts its connections; each state and"
        " race of a payment has its test in `tests/backend/payment/` and `tests/backend/orders/`",
    ),
    Group(
        "examples of a size that no shop has today",
        (
            "tests/backend/checkout/test_limits.py::test_a_cart_of_as_many_lines_as_fit_answers_no_megabytes",
            "tests/backend/imports/test_options.py::test_two_hundred_products_of_six_variants",
            "tests/backend/promotions/test_discount_calculation.py::test_ten_thousand_random_carts",
            "tests/backend/promotions/test_uses.py::test_two_hundred_races",
        ),
        "the same rule has a test with few rows next to each",
    ),
    Group(
        "a shop in English",
        ("tests/test_english.py::test_nothing_is_said_in_spanish",),
        "`tests/backend/core/test_texts.py` finds every text that is not translated",
    ),
    Group(
        "every bound of every field",
        (
            "tests/wire/test_any_input.py::test_no_bound_breaks_the_api",
            "tests/wire/test_any_input.py::test_no_input_breaks_the_api_on_sqlite",
        ),
        "every operation gets random input on PostgreSQL; what its fields refuse is tested next to the routes",
    ),
    Group(
        "processes that die in a running shop",
        (
            "tests/e2e/test_renderer.py",
            "tests/e2e/test_worker.py",
            "tests/e2e/test_redis_away.py",
            "tests/e2e/test_restart.py",
            "tests/e2e/test_live.py::test_every_replica_refreshes_the_pages_it_serves",
            "tests/e2e/test_left_alone.py::test_another_toy_goes_into_the_same_cart_when_redis",
            "tests/e2e/test_slow_carrier.py",
        ),
        "`tests/storefront/renderer/`, `tests/storefront/live/` and `tests/storefront/server/test_draining.py` have"
        " each part; `test_checkout_errors.py` restarts the shop below an open page",
    ),
    Group(
        "accessibility and layout of each screen",
        (
            "tests/e2e/test_every_page.py::test_nothing_sticks_out_and_nobody_is_shut_out",
            "tests/e2e/test_every_page.py::test_nothing_jumps_while_it_loads",
            "tests/e2e/test_every_page.py::test_the_focus",
            "tests/e2e/test_every_page.py::test_the_way_past_the_header",
            "tests/e2e/test_picture_shapes.py",
            "tests/e2e/test_missing_pictures.py",
            "tests/e2e/test_home.py",
            "tests/e2e/test_office.py::test_nothing_sticks_out_and_nobody_is_shut_out",
            "tests/e2e/test_office.py::test_nothing_jumps_while_it_loads",
            "tests/e2e/test_office_product.py::test_nothing_sticks_out_and_nobody_is_shut_out",
            "tests/e2e/test_office_uploads.py::test_nothing_sticks_out_and_nobody_is_shut_out",
        ),
        "`test_small_screens.py` measures every page at 320 px, and journeys measure theirs",
    ),
    Group(
        "comfort of single screens",
        (
            "tests/e2e/test_catalog.py::test_a_list_of_hundreds",
            "tests/e2e/test_catalog.py::test_a_second_picture",
            "tests/e2e/test_catalog.py::test_ages_and_brands",
            "tests/e2e/test_catalog.py::test_choices_that_nothing_meets",
            "tests/e2e/test_catalog.py::test_counts_say",
            "tests/e2e/test_catalog.py::test_dropping_chips",
            "tests/e2e/test_catalog.py::test_more_toys_by",
            "tests/e2e/test_catalog.py::test_pages_have_addresses",
            "tests/e2e/test_catalog.py::test_prices_narrow",
            "tests/e2e/test_catalog.py::test_a_reload_keeps",
            "tests/e2e/test_product.py::test_the_magnifier",
            "tests/e2e/test_product.py::test_a_picture_that_is_hosted_elsewhere",
            "tests/e2e/test_product.py::test_a_thumbnail",
            "tests/e2e/test_product.py::test_the_large_view",
            "tests/e2e/test_search.py::test_accents",
            "tests/e2e/test_search.py::test_escape",
            "tests/e2e/test_search.py::test_the_keyboard",
            "tests/e2e/test_search.py::test_the_number",
            "tests/e2e/test_search.py::test_a_long_text",
            "tests/e2e/test_search.py::test_a_word_without_an_end",
            "tests/e2e/test_search.py::test_a_category_and_the_last_searches",
            "tests/e2e/test_search.py::test_the_list_of_an_absurdly_long_address",
            "tests/e2e/test_cart.py::test_what_removes_a_line",
            "tests/e2e/test_cart.py::test_removing_lines_by_the_keyboard",
            "tests/e2e/test_cart.py::test_the_drawer",
            "tests/e2e/test_sharing.py",
            "tests/e2e/test_toys_beside.py",
            "tests/e2e/test_wishlist.py::test_letting_go_by_the_keyboard",
            "tests/e2e/test_wishlist.py::test_when_nothing_saved",
            "tests/e2e/test_wishlist.py::test_a_toy_of_another_address",
            "tests/e2e/test_google.py::test_nothing_moves_away",
            "tests/e2e/test_google.py::test_other_tabs",
            "tests/e2e/test_google.py::test_who_came_by_google_may_choose_a_password",
            "tests/e2e/test_variants.py::test_what_is_chosen_stays_chosen",
            "tests/e2e/test_shipping_estimate.py",
        ),
        "the handlers behind it are tested in `tests/storefront/pages/` and `tests/storefront/state/`",
    ),
    Group(
        "connections that are cut after the server has answered",
        (
            "tests/e2e/test_sent_forms.py::test_a_cut_pqrs_is_kept_and_stored_once[after-",
            "tests/e2e/test_sent_forms.py::test_a_cut_return_is_kept_and_stored_once[after-",
            "tests/e2e/test_sent_forms.py::test_a_cut_review_is_kept_with_its_picture_and_stored_once[after-",
            "tests/e2e/test_sent_forms.py::test_a_cut_warranty_of_one_unit_without_a_picture_is_stored_once[after-",
        ),
        "the cuts before the answer stay, and tests of `presses` and `returns` send each form twice",
    ),
    Group(
        "messages of single forms",
        (
            "tests/e2e/test_accounts.py::test_what_failed_on_the_way",
            "tests/e2e/test_accounts.py::test_problems_stand",
            "tests/e2e/test_accounts.py::test_profile_and_address_book",
            "tests/e2e/test_accounts.py::test_addresses_are_changed",
            "tests/e2e/test_accounts.py::test_a_form_that_changes_no_session",
            "tests/e2e/test_accounts.py::test_a_tab_that_was_on_its_way",
            "tests/e2e/test_change_bank.py::test_the_question",
            "tests/e2e/test_change_bank.py::test_back_from_the_bank",
            "tests/e2e/test_checkout_errors.py::test_an_empty_form",
            "tests/e2e/test_checkout_errors.py::test_each_document",
            "tests/e2e/test_checkout_errors.py::test_a_company",
            "tests/e2e/test_checkout_errors.py::test_a_region_without_pse",
            "tests/e2e/test_checkout_errors.py::test_a_way_to_ship",
            "tests/e2e/test_checkout_errors.py::test_a_municipality",
        ),
        "`tests/storefront/pages/checkout/` and `tests/storefront/pages/test_account.py` have each message",
    ),
    Group(
        "documents in a browser, beyond status and content",
        (
            "tests/e2e/test_documents.py::test_a_document_is_taken_over",
            "tests/e2e/test_documents.py::test_a_document_that_nobody_drew",
            "tests/e2e/test_documents.py::test_the_manual_of_the_api",
            "tests/e2e/test_documents.py::test_the_content_is_there",
            "tests/e2e/test_documents.py::test_the_heads_of_all_products",
        ),
        "`test_documents.py` keeps statuses and contents on the wire, and a whole visit without scripts",
    ),
    Group(
        "details of the office",
        (
            "tests/e2e/test_office.py::test_keys_lead_anywhere",
            "tests/e2e/test_office.py::test_what_is_said_before_the_script",
            "tests/e2e/test_office_documents.py",
            "tests/e2e/test_office_orders.py::test_a_better_address",
            "tests/e2e/test_office_orders.py::test_a_note_that_is_not_kept",
            "tests/e2e/test_office_orders.py::test_a_new_order_is_counted",
            "tests/e2e/test_office_packing.py::test_the_camera",
            "tests/e2e/test_office_packing.py::test_a_scanner",
            "tests/e2e/test_office_product.py::test_free_toy_needs_the_tick",
            "tests/e2e/test_office_product.py::test_pictures_are_put",
            "tests/e2e/test_office_product.py::test_one_form_after_the_other",
            "tests/e2e/test_office_product.py::test_what_is_not_saved",
            "tests/e2e/test_office_team.py::test_ones_own_account",
            "tests/e2e/test_office_team.py::test_what_is_typed",
            "tests/e2e/test_office_uploads.py::test_what_did_not_arrive",
            "tests/e2e/test_office_uploads.py::test_what_is_too_heavy",
        ),
        "`tests/storefront/office/` has each screen's handlers; one journey of each area stays",
    ),
)
"""Groups that only `make test-all` runs. docs/testing.md has their names and reasons."""
ONLY_ALL_TESTS = tuple(test for group in ONLY_ALL for test in group.tests)
QUICK_FOLDERS = ("tests/backend/", "tests/storefront/", "tests/tools/")
"""`make quick` runs only tests of these."""
NOT_QUICK_FIXTURES = frozenset(
    {"api", "shopper", "postgresql", "postgresql_url", "empty_postgresql_url", "redis_url"}
)
"""Fixtures of the HTTP API, of a page's state, and of servers."""
NOT_QUICK = (
    *(
        f"tests/backend/{name}"
        for name in (
            *("catalog/assignment/", "catalog/importer/", "cli/", "core/observability/test_tracing.py"),
            *("core/test_spreadsheet.py", "core/web/test_outside_fetch.py", "edge/middleware/test_cors.py"),
            *("fulfillment/test_label_merging.py", "imports/", "mail/test_smtp.py"),
            *("media/test_media_bounds.py", "media/test_picture_store.py", "migrations/", "operations/"),
            *("payment/providers/pse/test_secrets.py", "sandbox/gateway/test_official_sdk.py"),
            *("sandbox/gateway/test_over_sockets.py", "shipping/providers/carrier/test_provider.py"),
            *("shipping/providers/carrier/test_wire_rows.py", "spreadsheet_reader/", "test_start.py"),
        )
    ),
    *("tests/storefront/live/test_pubsub.py", "tests/storefront/renderer/", "tests/storefront/server/"),
    "tests/tools/test_browser.py",
)
"""Tests that take long, or that start a process or a server themselves."""

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
    return item.nodeid.startswith(ALL_VARIANTS) or has_rivals(item)


def has_rivals(item: pytest.Item) -> bool:
    """Return True for a test in whose code several writers meet."""
    function = getattr(item, "function", None)
    return function is not None and not RIVALS.isdisjoint(_names_in(inspect.unwrap(function).__code__))


def _names_in(code: CodeType) -> Iterator[str]:
    """Yield the globals and attributes that a function and the functions inside it name."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)


def is_quick(item: pytest.Item) -> bool:
    """Return True for a test of `make quick`: services on SQLite without a browser, a server or the HTTP API."""
    fixtures = getattr(item, "fixturenames", ())
    return (
        item.nodeid.startswith(QUICK_FOLDERS)
        and not item.nodeid.startswith((*NOT_QUICK, *ONLY_ALL_TESTS))
        and NOT_QUICK_FIXTURES.isdisjoint(fixtures)
        and variant_of(item) != "postgresql"
    )
