"""Completeness of the audit: no service that a staff member calls writes without an entry.

Two checks. This file reads the source of every function that takes an `Actor`: it records, passes the actor to a
function that records, or is listed below as read-only. In addition, `tests.audit_guard` checks every statement
during all backend tests: a write below such a function without an entry fails that test.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncSession

import backend
from backend.audit import Subject, SubjectType, record
from backend.cart.access import create_empty_cart
from backend.catalog.models import Collection
from backend.core.db.database import Database
from backend.shop import Shop
from backend.staff.rights import COMMAND_LINE, Actor, Right
from tests.audit_guard import watch_audit
from tests.store_defaults import Defaults

BACKEND = Path(backend.__file__).parent
ACTOR_TYPES = {"Actor", "StaffMember", "AuditActor"}
OPTIONAL_ACTOR_TYPES = {"AuditActor | None", "Actor | None", "Decision"}
"""Optional actors. Decisions are recorded where they are resolved, by `AttentionService`."""
ONLY_READ = {
    "draft_orders/counter_sale.py::create_captured_order",
    "draft_orders/drafts.py::add_units",
    "draft_orders/drafts.py::lock_draft",
    "draft_orders/drafts.py::open_current_draft",
    "draft_orders/drafts.py::require_allowed_discount",
    "draft_orders/drafts.py::set_origin",
    "draft_orders/drafts.py::set_units",
    "draft_orders/drafts.py::take_along",
    "catalog/bulk/service.py::preview_bulk_change",
    "media/upload_routes.py::store_spreadsheet",
    "media/upload_routes.py::upload_pictures",
    "exchanges/delivery.py::find_outbound_method",
    "exchanges/preparation.py::lock_exchange",
    "exchanges/preparation.py::require_exchange_rights",
    "exchanges/wire.py::exchange_preview_wire",
    "media/uploads.py::reserve_catalog_slot",
    "media/uploads.py::store",
    "media/uploads.py::store_brand_picture",
    "media/brand_picture_routes.py::upload_brand_picture",
    "exports/service.py::list_kinds",
    "imports/confirmation.py::discard_import",
    "imports/confirmation.py::discard_unstarted_imports",
    "imports/confirmation.py::set_makes_places",
    "imports/confirmation.py::set_publishes",
    "imports/mapping_choice.py::choose_column",
    "imports/api/routes.py::check_again",
    "imports/api/routes.py::choose_file_column",
    "imports/refused_rows.py::build_refused_file",
    "imports/spreadsheet_upload.py::store_spreadsheet",
    "imports/spreadsheet_upload.py::change_mapping",
    "imports/pictures.py::add_pictures",
    "imports/api/platform_routes.py::create_import",
    "imports/api/platform_routes.py::import_products",
    "imports/api/platform_routes.py::store_spreadsheet",
    "imports/reports.py::find_newest_import",
    "imports/reports.py::list_unfinished_imports",
    "staff/role_wire.py::read_role",
    "staff/role_wire.py::read_roles",
    "mail/notification_feed.py::list_feed_entries",
    "imports/reports.py::read_report",
    "imports/row_pages.py::read_row_page",
    "imports/api/routes.py::list_import_rows",
    "office/orders/editing.py::edit_view",
    "office/orders/exchange.py::exchange_view",
    "order_edits/shipping_choice.py::find_shipping_of_edit",
    "order_edits/wire.py::preview_wire",
    "office/deliveries/page.py::deliveries_page",
    "office/settings/page.py::shop_page",
    "office/settings/webhooks.py::read_webhook_rows",
    "imports/api/routes.py::store_sent_spreadsheet",
    "imports/api/routes.py::send_pictures",
    "imports/api/routes.py::send_sheet",
    "fulfillment/return_labels.py::refuse_return_label",
    "office/content/page.py::content_page",
    "office/customers/detail.py::customer_detail",
    "office/products/bulk.py::list_bulk_changes",
    "office/products/bulk.py::preview_view",
    "office/exports.py::exports_view",
    "office/exports.py::kind_options",
    "office/imports.py::import_view",
    "office/imports.py::unfinished_views",
    "invoices/earlier_orders.py::list_orders_without_invoice",
    "office/opening_steps.py::read_opening_steps",
    "webhooks/service.py::find_endpoint",
    "webhooks/service.py::list_endpoints",
    "office/orders/packing.py::pack_view",
    "office/team/account.py::missing_factor",
    "office/team/account.py::own_account",
    "office/team/notices.py::read_notice_rows",
    "office/team/page.py::team_page",
    "office/team/roles.py::read_role_forms",
    "office/pqrs.py::pqrs_list",
    "office/products/editor.py::new_product_form",
    "office/returns/detail.py::return_detail",
    "office/today.py::today_view",
    "office/waiting.py::read_navigation_counts",
    "orders/admin/routes.py::order_answer",
    "returns/admin_routes.py::add_return_shipping",
    "returns/drafts.py::find_order_of_request",
    "staff/dependencies.py::check",
    "staff/invites.py::list_invites",
    "staff/invites.py::read_invite",
    "staff/second_factor.py::recovery_codes_left",
    "staff_notices/choices.py::read_choices",
    "staff_notices/choices.py::read_choices_of_all",
    "staff_notices/push/subscriptions.py::list_subscriptions",
    "staff/roles.py::list_roles",
    "staff/roles.py::lock_owners",
    "staff/service.py::list_staff",
    "staff/service.py::read_staff",
    "staff/sessions.py::sessions_of",
}
"""Read-only functions, in addition to GET routes and to functions that require only rights to see something.

A picture is stored outside of the database: the product that refers to it is recorded. An uploaded spreadsheet is
only prepared: the start of its import is recorded. So is a draft order: its discount and its sale are recorded.
"""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def list_functions() -> Iterator[tuple[str, Function]]:
    """Yield the id (`file::name`) and the node of every function with an `Actor` parameter."""
    for file in sorted(BACKEND.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, Function) and parameter_types(node) & (ACTOR_TYPES | OPTIONAL_ACTOR_TYPES):
                yield f"{file.relative_to(BACKEND)}::{node.name}", node


def parameter_types(node: Function) -> set[str]:
    """Return the types of the function's parameters."""
    arguments = (*node.args.args, *node.args.kwonlyargs)
    return {ast.unparse(one.annotation) for one in arguments if one.annotation is not None}


def list_calls_with_actor(node: Function) -> set[str]:
    """Return the names of the functions to which this function passes its actor."""
    names = set()
    for call in ast.walk(node):
        if isinstance(call, ast.Call):
            given = {ast.unparse(one) for one in (*call.args, *(one.value for one in call.keywords))}
            if given & {"actor", "who", "by", "decision", "decision.by"}:
                names.add(call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func))
    return names


def is_read_only(node: Function) -> bool:
    """Return True if the function is a GET route, or requires only rights to read or export."""
    if any(ast.unparse(one).partition("(")[0].endswith(".get") for one in node.decorator_list):
        return True
    rights = {
        one.attr
        for one in ast.walk(node)
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id == "Right"
    }
    return bool(rights) and all(right.startswith(("READ_", "EXPORT_")) for right in rights)


def test_every_function_with_an_actor_records_an_entry_or_only_reads() -> None:
    found = dict(list_functions())
    recording = {"record"}
    while True:
        more = {node.name for node in found.values() if list_calls_with_actor(node) & recording} - recording
        if not more:
            break
        recording |= more
    silent = {
        name
        for name, node in found.items()
        if parameter_types(node) & ACTOR_TYPES
        and not node.name.startswith("_")
        and node.name not in recording
        and not is_read_only(node)
        and name not in ONLY_READ
    }
    assert sorted(silent) == []
    assert set(found) >= ONLY_READ


class TestGuard:
    async def test_write_without_an_audit_entry_is_reported(self, database: Database) -> None:
        with watch_audit(__file__) as guard:
            async with database.transaction() as session:
                await write_without_entry(session, COMMAND_LINE)
        (call,) = guard.list_unrecorded()
        assert call.name == "write_without_entry"

    async def test_change_of_a_customers_cart_without_an_audit_entry_is_reported(
        self, shop: Shop, shop_defaults: Defaults
    ) -> None:
        with watch_audit(__file__) as guard:
            async with shop.database.transaction() as session:
                await create_cart_without_entry(session, COMMAND_LINE)
        (call,) = guard.list_unrecorded()
        assert call.name == "create_cart_without_entry"

    async def test_write_with_an_audit_entry_is_not_reported(self, database: Database) -> None:
        with watch_audit(__file__) as guard:
            async with database.transaction() as session:
                await write_with_entry(session, COMMAND_LINE)
        assert guard.calls
        assert not guard.list_unrecorded()


async def write_without_entry(session: AsyncSession, actor: Actor) -> None:
    session.add(Collection(title=actor.id, handle="x"))
    await session.flush()


async def create_cart_without_entry(session: AsyncSession, actor: Actor) -> None:
    actor.require(Right.SELL)
    await create_empty_cart(session)


async def write_with_entry(session: AsyncSession, actor: Actor) -> None:
    await record(session, actor, "created", Subject(SubjectType.COLLECTION, "pcol_1"))
    await write_without_entry(session, actor)
