"""Selection of the tests of a run by size: `pytest --size quick`, `--size test` or `--size all` (the default).

Only a run with `--size` skips tests, so a test that is named on the command line always runs. Only the tables below
define the tests that `make quick` and `make test` skip.
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
    """The size of a run. Each size includes the tests of the previous one."""

    QUICK = "quick"
    TEST = "test"
    ALL = "all"


@dataclass(frozen=True)
class ExtraTests:
    """Tests that only `make test-all` runs: beginnings of their ids, and why `make test` may skip them."""

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
"""Parameters whose values run the same test on another database or screen. `make test` runs one of them."""
BOTH_DATABASES = tuple(
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
        *("jobs/", "rate_limit/"),
    )
)
"""Tests of money and stock: `make test` runs them on both databases."""
ALL_VARIANTS = (
    *BOTH_DATABASES,
    *(
        f"tests/backend/{name}"
        for name in (
            *(
                "cart/",
                "migrations/",
                "core/db/test_database.py",
                "customers/test_lock_out.py",
            ),
            "catalog/search/",
            *("operations/opening/test_database_lock.py", "returns/test_lock_order.py"),
        )
    ),
    "tests/e2e/test_purchase.py::test_product_is_bought",
)
"""Tests that `make test` runs in every variant, in addition to those with concurrent writers."""
CONCURRENT_CALLS = frozenset({"run_against_rival", "gather", "TaskGroup"})
"""A test that calls one of these has several concurrent writers: see `tests/backend/rivals.py`."""
ONLY_ALL = (
    ExtraTests(
        "disasters that take minutes",
        (
            "tests/failure/test_outage.py",
            "tests/failure/test_storm.py",
            "tests/failure/test_wandering.py",
            "tests/failure/test_crash.py",
        ),
        "`test_cuts.py` cuts the connections of a purchase; each state and race of a payment has its test in"
        " `tests/backend/payment/` and `tests/backend/orders/`",
    ),
    ExtraTests(
        "examples of a size that no shop has today",
        (
            "tests/backend/checkout/test_limits.py::test_response_with_a_full_cart_is_smaller_than_a_megabyte",
            "tests/backend/imports/test_options.py::test_two_hundred_products_with_six_variants_are_imported",
            "tests/backend/promotions/test_discount_calculation.py::test_ten_thousand_random_carts",
            "tests/backend/promotions/test_uses.py::test_only_one_of_many_concurrent_carts_gets_the_last_use_of_a_promotion",
        ),
        "the same rule has a test with few rows next to each",
    ),
    ExtraTests(
        "a whole day in the browser",
        ("tests/e2e/test_a_day.py",),
        "`tests/backend/draft_orders/test_a_day.py` has the same sales with two sellers at once, on both databases",
    ),
    ExtraTests(
        "long imports, random workbooks, former addresses and webhooks in the browser",
        (
            "tests/e2e/test_office_import.py::test_long_import_is_paged_stopped_and_continued",
            "tests/e2e/test_office_import.py::test_unknown_columns_of_an_import_are_mapped_and_removal_of_units_is_confirmed",
            "tests/e2e/test_office_redirects.py",
            "tests/e2e/test_office_webhooks.py",
            "tests/backend/imports/test_random_catalogs.py::test_workbook_with_titles_totals_and_merged_cells",
            "tests/backend/imports/test_spreadsheet_parsing.py::test_workbook_with_a_hundred_thousand_rows_is_refused",
        ),
        "`tests/backend/imports/` maps lists, confirms losses, stops and continues an import, random text files of each"
        " format are read, `tests/backend/catalog/importer/tables/` has titles, totals and merged cells, and"
        " `tests/storefront/office/test_redirects_screen.py` has the screen of former addresses,"
        " `tests/storefront/office/settings/test_webhooks_screen.py` that of webhooks",
    ),
    ExtraTests(
        "a shop in English",
        ("tests/test_english.py::test_shop_in_english_shows_no_spanish_text",),
        "`tests/backend/core/test_texts.py` finds every text that is not translated",
    ),
    ExtraTests(
        "every bound of every field, random input of staff",
        (
            "tests/wire/test_any_input.py::test_boundary_values_never_cause_a_server_error",
            "tests/wire/test_any_input.py::test_random_input_never_causes_a_server_error_on_sqlite",
            "tests/wire/test_any_input.py::test_random_input_never_causes_a_server_error[admin",
        ),
        "every operation of shoppers gets random input on PostgreSQL, `tests/attacks/test_routes.py` sends odd input to"
        " every route as every caller, and what fields refuse is tested next to the routes",
    ),
    ExtraTests(
        "a push message in the browser",
        ("tests/e2e/test_office_push.py",),
        "`tests/backend/staff_notices/push/` subscribes, and decrypts what a push service gets;"
        " `tests/storefront/documents/test_service_worker.py` has the script",
    ),
    ExtraTests(
        "engines other than Chromium",
        ("tests/engines/",),
        "`tests/e2e/` has the same journeys in Chromium",
    ),
    ExtraTests(
        "processes that die in a running shop",
        (
            "tests/e2e/test_renderer.py",
            "tests/e2e/test_worker.py",
            "tests/e2e/test_redis_away.py",
            "tests/e2e/test_restart.py",
            "tests/e2e/test_live.py::test_every_replica_refreshes_the_pages_it_serves",
            "tests/e2e/test_left_alone.py",
            "tests/e2e/test_slow_carrier.py",
            "tests/e2e/test_checkout_errors.py::test_checkout_continues_after_a_server_restart",
        ),
        "`tests/storefront/renderer/`, `tests/storefront/live/` and `tests/storefront/server/test_draining.py` have"
        " each part, `tests/storefront/reflex_ext/test_state_loss.py` loses the state of a page;"
        " `test_checkout_errors.py` restarts the shop below an open page",
    ),
    ExtraTests(
        "limits that are only reached after many requests or seconds",
        (
            "tests/attacks/test_connections.py::test_half_open_connections_delay_no_request_and_are_closed",
            "tests/backend/checkout/payment/test_stock_holds.py::test_fifty_clients_hold_at_most_half_of_the_stock",
            (
                "tests/backend/customers/auth/test_guessing.py"
                "::test_login_attempts_of_a_client_are_limited_over_all_email_addresses"
            ),
            "tests/backend/spreadsheet_reader/test_bombs.py::test_processor_time_of_the_reader_process_is_limited",
            (
                "tests/backend/spreadsheet_reader/test_bombs.py"
                "::test_spreadsheet_bomb_is_refused_within_the_limits[shared_texts-refusals4]"
            ),
            "tests/storefront/live/test_pubsub.py::test_reconnected_redis_listener_refreshes_all_pages",
        ),
        "each limit has a test with few requests next to it, and each kind of bomb another file",
    ),
    ExtraTests(
        "further bombs for a running shop",
        tuple(
            f"tests/attacks/test_parsers.py::test_spreadsheet_bomb_is_refused[{name}]"
            for name in ("unfinished_cells", "expanding_entities", "ods_bomb", "many_members", "delimiters")
        ),
        "`tests/backend/spreadsheet_reader/test_bombs.py` reads each of them, and a running shop gets two others",
    ),
    ExtraTests(
        "programs of the project's developers",
        (
            "tests/test_loaded_runs.py::test_interrupted_run_leaves_no_process_and_is_repeated",
            "tests/e2e/test_chromium.py",
            "tests/tools/test_browser.py::test_browser_of_playwright_is_started_if_there_is_no_other",
            "tests/tools/test_mutants.py::test_functions_of_a_loaded_module_are_swapped_for_their_mutants",
            "tests/tools/test_mutants.py::test_every_area_has_enough_mutants_that_compile",
        ),
        "no user runs them, and the other tests of these files stay",
    ),
    ExtraTests(
        "connections to Redis that stay open in silence",
        (
            "tests/storefront/live/test_pubsub.py::test_listener_whose_connection_was_silent_refreshes_all_pages",
            "tests/storefront/live/test_pubsub.py::test_quiet_redis_connection_stays_open",
            "tests/storefront/live/test_pubsub.py::test_publishing_to_an_unresponsive_redis_fails",
            "tests/storefront/reflex_ext/test_redis_watch.py::test_redis_state_change_is_reported_once",
        ),
        "a closed connection, and what Redis answers without one, are tested next to each",
    ),
    ExtraTests(
        "notices and answers in further tabs and at a second width",
        (
            "tests/e2e/test_cart_news.py::test_checkout_shows_notices_about_the_cart",
            "tests/e2e/test_change_bank.py::test_payment_cancelled_or_retried_in_three_tabs_restores_one_cart",
            "tests/e2e/test_cart.py::test_tab_opened_before_the_cart_existed_shows_the_cart",
            "tests/e2e/test_purchase.py::test_tab_links_to_the_payment_started_in_another_tab[from the other tab]",
            "tests/e2e/test_purchase.py::test_payment_click_in_an_outdated_tab_opens_the_existing_payment",
            "tests/e2e/test_accounts.py::test_new_password_and_logout_everywhere_end_other_sessions",
            "tests/e2e/test_accounts.py::test_guest_order_is_not_shown_to_a_new_account_with_its_email",
            "tests/e2e/test_accounts.py::test_registration_returns_to_the_checkout",
            "tests/e2e/test_checkout_errors.py::test_payment_click_during_a_server_restart_still_pays[True]",
            "tests/e2e/test_checkout_errors.py::test_cart_changed_in_another_tab_is_priced_again_and_bought",
            "tests/e2e/test_checkout_errors.py::test_cart_emptied_in_another_tab_cannot_be_bought",
            "tests/e2e/test_checkout_errors.py::test_checkout_names_a_product_that_sold_out",
            "tests/e2e/test_checkout_errors.py::test_open_checkout_shows_cart_changes_made_in_another_tab",
            *(
                f"tests/e2e/test_reconnecting.py::test_request_lost_with_its_connection_is_repeated[{name}]"
                for name in (
                    *(f"answer-{request}" for request in ("page", "town")),
                    *(f"question-{request}" for request in ("town", "shipping option")),
                    *(
                        f"{lost}-{request}"
                        for lost in ("answer", "question")
                        for request in ("search", "catalog filter", "shipping estimate")
                    ),
                )
            ),
        ),
        "`test_cart_news.py` shows the notices in the cart, `test_cart.py` two tabs, `test_checkout_errors.py` a"
        " changed total, `test_change_bank.py` another bank; `tests/storefront/pages/checkout/test_state.py` has carts"
        " that another tab changes or empties, `tests/backend/checkout/`, `tests/backend/customers/` and"
        " `tests/backend/orders/` the rules",
    ),
    ExtraTests(
        "accessibility and layout of each screen",
        (
            "tests/e2e/test_product.py::test_gallery_picture_is_no_larger_than_shown",
            "tests/e2e/test_every_page.py::test_screens_have_no_overflow_and_are_accessible",
            "tests/e2e/test_small_screens.py::test_no_page_is_wider_than_its_window_at_twelve_widths_or_with_large_text",
            "tests/e2e/test_every_page.py::test_scripts_that_the_browser_loads_on_a_shop_page_fit_the_limit",
            "tests/e2e/test_every_page.py::test_layout_does_not_shift_while_loading",
            "tests/e2e/test_every_page.py::test_focus_is_visible_on_every_element",
            "tests/e2e/test_every_page.py::test_skip_link_is_visible_only_with_the_keyboard_focus",
            "tests/e2e/test_forced_colors.py",
            "tests/e2e/test_picture_shapes.py",
            "tests/e2e/test_missing_pictures.py",
            "tests/e2e/test_home.py",
            "tests/e2e/test_office.py::test_office_screens_have_no_overflow_and_are_accessible",
            "tests/e2e/test_office.py::test_office_layout_does_not_shift_while_loading",
            "tests/e2e/test_office_product.py::test_product_form_has_no_overflow_and_is_accessible",
            "tests/e2e/test_office_uploads.py::test_upload_screens_have_no_overflow_and_are_accessible",
        ),
        "`test_small_screens.py` measures every page at 320 px, and journeys measure theirs",
    ),
    ExtraTests(
        "comfort of single screens",
        (
            "tests/e2e/test_checkout_errors.py::test_duplicated_tab_places_the_same_order_once",
            "tests/e2e/test_gifts.py::test_too_long_gift_message_stays_in_its_field_until_it_is_shortened",
            "tests/e2e/test_gifts.py::test_checkout_fields_show_their_limits_and_suggest_a_corrected_email_domain",
            "tests/e2e/test_catalog.py::test_list_of_hundreds_of_products_can_be_shown_to_its_end",
            "tests/e2e/test_catalog.py::test_second_picture_is_loaded_on_hover",
            "tests/e2e/test_catalog.py::test_ages_and_brands_have_their_own_pages",
            "tests/e2e/test_catalog.py::test_filters_without_results_can_be_cleared",
            "tests/e2e/test_catalog.py::test_filter_counts_match_their_results",
            "tests/e2e/test_catalog.py::test_removing_chips_by_keyboard_keeps_the_position",
            "tests/e2e/test_catalog.py::test_show_more_by_keyboard_focuses_the_first_new_product",
            "tests/e2e/test_catalog.py::test_show_more_by_mouse_does_not_scroll",
            "tests/e2e/test_catalog.py::test_pages_of_the_list_are_reached_by_links_without_scripts",
            "tests/e2e/test_catalog.py::test_price_filter_accepts_swapped_limits",
            "tests/e2e/test_catalog.py::test_reload_keeps_filters_and_new_visit_resets_them",
            "tests/e2e/test_product.py::test_magnifier_shows_a_file_with_spaces_and_parentheses",
            "tests/e2e/test_product.py::test_magnifier_follows_the_mouse",
            "tests/e2e/test_product.py::test_externally_hosted_picture_is_shown_on_every_page_of_the_shop",
            "tests/e2e/test_product.py::test_click_on_a_thumbnail_shows_its_picture",
            "tests/e2e/test_product.py::test_large_view_opens_zooms_and_closes_by_keyboard",
            "tests/e2e/test_search.py::test_search_ignores_accents_case_and_a_typo",
            "tests/e2e/test_search.py::test_escape_closes_the_suggestions_then_clears_the_text",
            "tests/e2e/test_search.py::test_arrow_keys_move_through_the_suggestions",
            "tests/e2e/test_search.py::test_number_of_suggestions_is_shown_to_screen_readers",
            "tests/e2e/test_search.py::test_long_search_text_is_cut_with_a_message",
            "tests/e2e/test_search.py::test_long_word_stays_inside_the_search_panel",
            "tests/e2e/test_search.py::test_category_and_recent_searches_are_suggested",
            "tests/e2e/test_search.py::test_catalogue_page_opens_with_a_very_long_query",
            "tests/e2e/test_cart.py::test_remove_buttons_of_all_lines_are_aligned",
            "tests/e2e/test_cart.py::test_removing_lines_by_keyboard_keeps_the_position",
            "tests/e2e/test_cart.py::test_cart_drawer_shows_the_cart_and_returns_the_focus",
            "tests/e2e/test_sharing.py",
            "tests/e2e/test_product_suggestions.py",
            "tests/e2e/test_wishlist.py::test_removing_wishes_by_keyboard_keeps_the_position",
            "tests/e2e/test_wishlist.py::test_wishlist_of_discontinued_products_is_not_blank",
            "tests/e2e/test_wishlist.py::test_renamed_product_stays_in_the_wishlist",
            "tests/e2e/test_google.py::test_sign_in_form_is_shown_only_together_with_the_google_button",
            "tests/e2e/test_google.py::test_google_login_logs_in_other_tabs",
            "tests/e2e/test_google.py::test_google_customer_can_set_a_password",
            "tests/e2e/test_google.py::test_existing_account_is_linked_after_the_password",
            "tests/e2e/test_google.py::test_google_login_returns_to_the_checkout",
            "tests/e2e/test_google.py::test_google_button_is_hidden_without_settings",
            "tests/e2e/test_google.py::test_document_states_if_google_login_is_available",
            "tests/e2e/test_google.py::test_unverified_google_email_is_rejected",
            "tests/e2e/test_gifts.py::test_choosing_a_saved_address_of_another_person_fills_in_the_gift_recipient",
            "tests/e2e/test_phone.py::test_header_hides_while_scrolling_down_and_reappears_while_scrolling_up",
            "tests/e2e/test_reviews.py::test_review_form_does_not_keep_the_text_of_another_product",
            "tests/e2e/test_variants.py::test_chosen_variant_stays_while_reviews_are_read",
            "tests/e2e/test_shipping_estimate.py",
        ),
        "the handlers behind it are tested in `tests/storefront/pages/` and `tests/storefront/state/`",
    ),
    ExtraTests(
        "further visits to carts, lists, searches and wishes",
        (
            "tests/e2e/test_accounts.py::test_cart_and_wishlist_are_kept_at_login",
            *(
                f"tests/e2e/test_cart.py::test_{name}"
                for name in (
                    "added_product_is_not_counted_twice",
                    "several_units_are_added_with_one_click",
                    "empty_cart_links_to_the_catalogue",
                    "product_can_be_added_after_the_cart_was_deleted",
                    "two_shoppers_have_separate_carts",
                    "quantity_of_a_cart_line_can_be_typed",
                )
            ),
            "tests/e2e/test_catalog.py::test_click_on_a_filter_chip_removes_its_filter",
            "tests/e2e/test_catalog.py::test_phone_shows_filters_in_a_dialog",
            "tests/e2e/test_catalog.py::test_filters_chosen_in_one_category_do_not_apply_to_another",
            "tests/e2e/test_product.py::test_link_to_another_product_opens_its_page",
            "tests/e2e/test_search.py::test_search_without_results_shows_the_whole_catalogue",
            "tests/e2e/test_search.py::test_focusing_the_search_or_typing_one_letter_shows_ideas_without_a_request",
            "tests/e2e/test_search.py::test_price_and_sorting_typed_as_search_words_become_removable_chips",
            "tests/e2e/test_search.py::test_search_suggests_near_matches_and_answers_questions_with_a_help_page",
            "tests/e2e/test_wishlist.py::test_another_tab_shows_the_wish_immediately",
            "tests/e2e/test_wishlist.py::test_invalid_stored_wishlist_is_ignored",
            "tests/e2e/test_wishlist.py::test_wishlist_reports_and_removes_discontinued_products",
            "tests/e2e/test_wishlist.py::test_each_browser_has_its_own_wishlist",
        ),
        "`tests/storefront/state/` has separate, deleted and merged carts, searches and wishes,"
        " `tests/storefront/pages/test_catalog.py` the filters; each of these files keeps its usual visit",
    ),
    ExtraTests(
        "an order's page after rarer events",
        (
            "tests/e2e/test_purchase.py::test_restoring_a_cart_adds_its_lines_to_the_shoppers_new_cart",
            "tests/e2e/test_purchase.py::test_page_of_a_paid_order_shows_the_tracking_of_its_parcel",
            "tests/e2e/test_purchase.py::test_unpaid_shipped_order_is_not_shown_as_paid",
            "tests/e2e/test_returns.py::test_customer_cancels_an_unshipped_order",
            "tests/e2e/test_change_bank.py::test_second_approval_of_a_purchase_raises_attention",
            "tests/e2e/test_free_order.py",
        ),
        "`tests/storefront/pages/order/` has the page, `tests/backend/fulfillment/test_tracker.py` its parcels,"
        " `tests/backend/orders/` payments that are missing or contradicted, `tests/backend/payment/` second approvals,"
        " `tests/backend/returns/` cancellations and `tests/backend/checkout/test_free_orders.py` totals of 0",
    ),
    ExtraTests(
        "second cases of early clicks, lost clicks and open pages",
        (
            *(
                f"tests/e2e/test_waking.py::test_{name}"
                for name in (
                    "several_clicks_before_the_scripts_load_are_done_in_their_sequence",
                    "click_before_the_scripts_load_on_a_button_replaced_later_is_done",
                    "click_before_the_scripts_load_on_a_button_removed_later_shows_a_message",
                    "answer_to_an_earlier_click_does_not_confirm_a_new_click",
                    "quantity_change_lost_with_its_connection_is_sent_again",
                    "search_text_typed_before_the_scripts_load_gets_suggestions",
                )
            ),
            *(
                f"tests/e2e/test_live.py::test_{name}"
                for name in (
                    "sold_out_product_becomes_available_again",
                    "banner_removes_a_sold_out_product",
                    "filtered_list_shows_product_changes_and_stays_filtered",
                    "wishlist_reloads_after_a_lost_connection_and_shows_changes_again",
                    "quantity_is_limited_to_the_stock",
                    "change_by_the_admin_api_is_shown_on_two_open_pages_within_a_second",
                    "product_updates_do_not_change_typed_text",
                    "cart_and_wishlist_show_changes_of_price_and_stock",
                )
            ),
            "tests/e2e/test_presses.py::test_second_cart_is_not_created_if_the_page_is_left_before_the_answer",
            "tests/e2e/test_presses.py::test_click_lost_with_its_connection_is_sent_over_the_next_one",
            "tests/e2e/test_presses.py::test_quantity_changed_just_before_leaving_is_shown_on_the_next_page",
            "tests/e2e/test_presses.py::test_answer_for_the_previous_product_does_not_mark_the_button_as_done",
            "tests/e2e/test_presses.py::test_duplicated_tab_does_not_repeat_a_click_that_waits_to_be_sent",
            "tests/e2e/test_stale_pages.py::test_page_of_an_earlier_version_loads_the_requested_document[a search",
            "tests/e2e/test_without.py::test_shop_works_without_browser_storage[full",
            "tests/e2e/test_sent_forms.py::test_pqrs_form_changed_after_a_cut_connection_is_stored_separately",
            "tests/e2e/test_sent_forms.py::test_return_form_sent_over_a_cut_connection_keeps_its_input_and_is_stored_once",
            "tests/e2e/test_sent_forms.py::test_warranty_form_sent_over_a_cut_connection_is_stored_once",
            "tests/e2e/test_sent_forms.py::test_submit_button_works_again_after_the_back_button_restores_the_form",
            "tests/e2e/test_accounts.py::test_page_that_the_back_button_restores_shows_the_current_session",
            "tests/e2e/test_cart.py::test_quantity_is_saved_when_the_drawer_closes",
        ),
        "each file keeps the usual case: an early click, a filter and a form, a lost click, a price on two pages,"
        " a link on a stale page, forbidden storage, a form of a customer and one of a visitor",
    ),
    ExtraTests(
        "connections that are cut after the server has answered",
        (
            "tests/e2e/test_sent_forms.py::test_pqrs_form_sent_over_a_cut_connection_keeps_its_input_and_is_stored_once[after-",
            "tests/e2e/test_sent_forms.py::test_review_sent_over_a_cut_connection_keeps_its_picture_and_is_stored_once[after-",
        ),
        "the cuts before the answer stay, and tests of `presses` and `returns` send each form twice",
    ),
    ExtraTests(
        "messages of single forms",
        (
            "tests/e2e/test_accounts.py::test_account_forms_show_proxy_errors_in_the_shops_words",
            "tests/e2e/test_accounts.py::test_registration_errors_are_shown_next_to_their_fields",
            "tests/e2e/test_accounts.py::test_customer_changes_profile_and_address_book",
            "tests/e2e/test_accounts.py::test_saved_addresses_are_changed_and_one_becomes_the_default",
            "tests/e2e/test_accounts.py::test_form_that_does_not_change_the_session_does_not_reload_other_tabs",
            "tests/e2e/test_accounts.py::test_tab_that_is_loading_during_a_login_in_another_tab_reloads_once",
            "tests/e2e/test_change_bank.py::test_dialog_about_a_change_of_bank_works_by_keyboard",
            "tests/e2e/test_change_bank.py::test_shopper_can_choose_another_bank_after_going_back_from_the_bank",
            "tests/e2e/test_checkout_errors.py::test_empty_form_shows_an_error_at_every_field",
            "tests/e2e/test_checkout_errors.py::test_number_of_each_document_type_is_checked_by_its_own_rule",
            "tests/e2e/test_checkout_errors.py::test_company_can_choose_only_nit_as_its_document_type",
            "tests/e2e/test_checkout_errors.py::test_region_without_pse_shows_a_message",
            "tests/e2e/test_checkout_errors.py::test_deleted_shipping_option_is_not_shown",
            "tests/e2e/test_checkout_errors.py::test_unknown_municipality_shows_a_message",
        ),
        "`tests/storefront/pages/checkout/` and `tests/storefront/pages/test_account.py` have each message",
    ),
    ExtraTests(
        "documents in a browser, beyond status and content",
        (
            "tests/e2e/test_offline.py",
            "tests/e2e/test_documents.py::test_rendered_document_is_hydrated_without_an_error",
            "tests/e2e/test_documents.py::test_document_that_was_not_rendered_is_hydrated",
            "tests/e2e/test_documents.py::test_api_documentation_loads_nothing_from_other_hosts",
            "tests/e2e/test_documents.py::test_content_is_visible_without_scripts",
            "tests/e2e/test_documents.py::test_head_of_every_product_document_is_complete",
        ),
        "`test_documents.py` keeps statuses and contents on the wire, and a whole visit without scripts",
    ),
    ExtraTests(
        "details of the office",
        (
            "tests/e2e/test_office.py::test_keyboard_shortcuts_reach_every_office_screen",
            "tests/e2e/test_office.py::test_server_message_received_before_the_office_script_loads_is_shown",
            "tests/e2e/test_office_brand.py",
            "tests/e2e/test_office_documents.py",
            "tests/e2e/test_office_editing.py",
            "tests/e2e/test_office_exchange.py",
            "tests/e2e/test_office_offers.py::test_promotion_code_gives_its_discount_until_staff_end_it",
            "tests/e2e/test_office_offers.py::test_free_shipping_and_two_for_one_created_from_templates_apply_in_the_cart",
            "tests/e2e/test_office_orders.py::test_address_is_corrected_and_a_note_added",
            "tests/e2e/test_office_orders.py::test_rejected_note_keeps_its_text",
            "tests/e2e/test_office_orders.py::test_text_typed_while_a_note_is_saved_is_kept",
            "tests/e2e/test_office_orders.py::test_new_order_appears_in_the_list_only_after_a_click_on_its_notice",
            "tests/e2e/test_office_orders.py::test_packing_by_a_staff_member_is_shown_to_a_colleague_and_the_shopper",
            "tests/e2e/test_office_orders.py::test_order_with_a_contradicted_payment_links_to_its_attention",
            "tests/e2e/test_office_orders.py::test_partly_paid_order_shows_the_received_amount_until_it_is_packed",
            "tests/e2e/test_office_packing.py::test_some_units_of_an_order_can_be_packed_with_a_label_before_the_others",
            "tests/e2e/test_office_packing.py::test_barcode_scanned_with_the_camera_ticks_its_line",
            "tests/e2e/test_office_packing.py::test_barcode_scanner_ticks_its_line_without_pressing_buttons",
            "tests/e2e/test_office_selling.py",
            "tests/e2e/test_office_products.py::test_several_products_are_put_on_sale_and_restored",
            "tests/e2e/test_office_products.py::test_price_changed_by_another_staff_member_is_shown",
            "tests/e2e/test_office_product.py::test_changes_of_two_staff_members_editing_one_product_are_both_saved",
            "tests/e2e/test_office_product.py::test_price_of_0_is_accepted_only_with_the_free_checkbox",
            "tests/e2e/test_office_product.py::test_product_pictures_are_reordered_and_described",
            "tests/e2e/test_office_product.py::test_variants_are_added_reordered_and_removed",
            "tests/e2e/test_office_product.py::test_new_product_form_does_not_keep_the_previous_input",
            "tests/e2e/test_office_product.py::test_leaving_the_product_form_with_unsaved_changes_asks_first",
            "tests/e2e/test_office_team.py::test_staff_member_manages_their_own_account",
            "tests/e2e/test_office_team.py::test_text_typed_in_the_office_login_form_is_not_removed",
            "tests/e2e/test_office_uploads.py::test_failed_upload_can_be_sent_again",
            "tests/e2e/test_office_uploads.py::test_invalid_picture_among_three_is_rejected",
            "tests/e2e/test_office_uploads.py::test_too_large_picture_is_not_sent",
        ),
        "`tests/storefront/office/` has each screen's handlers; one journey of each area stays",
    ),
)
"""Groups that only `make test-all` runs. docs/testing.md shows their names and reasons."""
ONLY_ALL_TESTS = tuple(test for group in ONLY_ALL for test in group.tests)
QUICK_FOLDERS = ("tests/backend/", "tests/storefront/", "tests/tools/")
"""`make quick` runs only tests in these folders."""
NOT_QUICK_FIXTURES = frozenset(
    {"api", "shopper", "postgresql", "postgresql_url", "empty_postgresql_url", "redis_url"}
)
"""Fixtures of the HTTP API, of a page's state, and of servers."""
NOT_QUICK = (
    *(
        f"tests/backend/{name}"
        for name in (
            *("catalog/assignment/", "catalog/importer/", "catalog/redirects/test_sheet.py", "cli/"),
            "core/observability/test_tracing.py",
            *(
                "core/test_spreadsheet.py",
                "core/web/test_outside_fetch.py",
                "core/web/test_outside_post.py",
                "edge/middleware/test_cors.py",
            ),
            *(
                "exports/test_product_files.py",
                "fulfillment/test_label_merging.py",
                "imports/",
                "mail/test_mails.py::test_mail_is_delivered_to_the_configured_mail_server",
                "mail/test_smtp.py",
            ),
            *("media/test_media_bounds.py", "media/test_picture_store.py", "media/test_svg_rendering.py"),
            *("migrations/", "operations/"),
            *("payment/providers/pse/test_secrets.py", "sandbox/gateway/test_official_sdk.py"),
            *("sandbox/gateway/test_over_sockets.py", "shipping/providers/carrier/test_provider.py"),
            *("shipping/providers/carrier/test_wire_rows.py", "spreadsheet_reader/", "test_start.py"),
            "staff_notices/push/test_sending.py",
            "webhooks/",
        )
    ),
    *("tests/storefront/live/test_pubsub.py", "tests/storefront/renderer/", "tests/storefront/server/"),
    "tests/storefront/pages/order/test_status_words.py",
    *("tests/tools/test_browser.py", "tests/tools/test_commit_subject.py", "tests/tools/test_makefile.py"),
)
"""Tests that take long, or that start a process or a server themselves."""

COLLECTED = pytest.StashKey[tuple[pytest.Item, ...]]()
"""The collected tests, before any is deselected."""


def deselect_tests(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Remove the tests that do not belong to the size of this run from `items`."""
    config.stash[COLLECTED] = tuple(items)
    size: Size = config.getoption("size")
    if size is Size.ALL:
        return
    names = select_ids(items, size)
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in names])
    items[:] = [item for item in items if item.nodeid in names]


def is_ignored(path: PurePath, size: Size) -> bool:
    """Return True for a folder without a test of this size.

    Args:
        path: a file or folder, relative to the project's root.
        size: the size of the run.
    """
    is_outside = not f"{path.as_posix()}/".startswith(QUICK_FOLDERS)
    return size is Size.QUICK and is_outside and path.as_posix() != "tests"


def select_ids(items: Iterable[pytest.Item], size: Size) -> set[str]:
    """Return the ids of the tests that belong to a size."""
    if size is Size.ALL:
        return {item.nodeid for item in items}
    if size is Size.TEST:
        return _select_one_variant(item for item in items if not item.nodeid.startswith(ONLY_ALL_TESTS))
    return {item.nodeid for item in items if is_quick(item)}


def _select_one_variant(items: Iterable[pytest.Item]) -> set[str]:
    """Return the ids of one variant of each test, and of all variants of tests that `make test` runs in all."""
    groups: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for item in items:
        variant = find_variant(item)
        has_all = variant is None or has_all_variants(item)
        base = item.nodeid if has_all else base_id(item.nodeid, variant or "")
        groups[base].append((variant or "", item.nodeid))
    return {choose_variant(base, group) for base, group in groups.items()}


def choose_variant(base: str, group: Iterable[tuple[str, str]]) -> str:
    """Return the id of one variant. The choice depends only on `base`.

    Args:
        base: the test's id without its variant.
        group: pairs of a variant and the id of the test in this variant.
    """
    ordered = sorted(group)
    return ordered[zlib.crc32(base.encode()) % len(ordered)][1]


def find_variant(item: pytest.Item) -> str | None:
    """Return the database or width of a test that runs on several, or None."""
    parameters = getattr(item, "callspec", None)
    values_by_name = parameters.params if parameters else {}
    for name, values in VARIANTS.items():
        value = values_by_name.get(name)
        if isinstance(value, str) and value in values:
            return value
    return None


def base_id(nodeid: str, variant: str) -> str:
    """Return the id of a test without its variant: `test[sqlite-3]` and `test[postgresql-3]` have the same base id."""
    return re.sub(rf"(?<=[\[-]){variant}(?=[\]-])", "*", nodeid, count=1)


def has_all_variants(item: pytest.Item) -> bool:
    """Return True for a test that `make test` runs on both databases, or at both widths."""
    return item.nodeid.startswith(ALL_VARIANTS) or has_concurrent_writers(item)


def has_concurrent_writers(item: pytest.Item) -> bool:
    """Return True for a test whose code starts several concurrent writers."""
    function = getattr(item, "function", None)
    return function is not None and not CONCURRENT_CALLS.isdisjoint(
        _iterate_names(inspect.unwrap(function).__code__)
    )


def _iterate_names(code: CodeType) -> Iterator[str]:
    """Yield the globals and attributes that a function and its inner functions use."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _iterate_names(constant)


def is_quick(item: pytest.Item) -> bool:
    """Return True for a test of `make quick`: services on SQLite without a browser, a server or the HTTP API."""
    fixtures = getattr(item, "fixturenames", ())
    return (
        item.nodeid.startswith(QUICK_FOLDERS)
        and not item.nodeid.startswith((*NOT_QUICK, *ONLY_ALL_TESTS))
        and NOT_QUICK_FIXTURES.isdisjoint(fixtures)
        and find_variant(item) != "postgresql"
    )
