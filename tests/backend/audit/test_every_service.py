"""The audit is complete: no service that somebody of the staff calls writes without an entry.

Two nets. This file reads the source of every function that takes an `Actor`: it records, hands the actor on to one that
does, or is named below as one that only reads. And while any test of the backend runs, `tests.audit_guard` looks at
every statement: what is written below such a function and without an entry fails that test.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncSession

import backend
from backend.audit import Subject, Thing, record
from backend.catalog.models import Collection
from backend.core.db.database import Database
from backend.staff.rights import COMMAND_LINE, Actor
from tests.audit_guard import watching

BACKEND = Path(backend.__file__).parent
SOMEBODY = {"Actor", "StaffMember", "Who"}
MAYBE_SOMEBODY = {"Who | None", "Actor | None", "Decision"}
"""What a decision does is recorded where it is resolved, by `AttentionService`."""
ONLY_READ = {
    "catalog/bulk/service.py::preview",
    "media/upload_routes.py::keep",
    "media/upload_routes.py::upload_pictures",
    "media/uploads.py::place",
    "media/uploads.py::store",
    "exports/service.py::kinds_for",
    "imports/confirmation.py::drop",
    "imports/confirmation.py::set_makes_places",
    "imports/files.py::refused_file",
    "imports/spreadsheet_upload.py::keep_sheet",
    "imports/pictures.py::add_pictures",
    "imports/platform_routes.py::keep",
    "imports/reports.py::last_import",
    "mail/notification_feed.py::feed_of",
    "imports/reports.py::report",
    "office/settings/page.py::shop_page",
    "imports/routes.py::keep_sent",
    "imports/routes.py::send_pictures",
    "imports/routes.py::send_sheet",
    "fulfillment/return_labels.py::request_return",
    "office/content/page.py::content_page",
    "office/customers/detail.py::customer_detail",
    "office/products/bulk.py::last_changes",
    "office/products/bulk.py::preview_view",
    "office/exports.py::exports_view",
    "office/exports.py::kind_options",
    "office/imports.py::import_view",
    "office/orders/packing.py::pack_view",
    "office/team/account.py::missing_factor",
    "office/team/account.py::own_account",
    "office/team/page.py::team_page",
    "office/pqrs.py::pqrs_list",
    "office/products/editor.py::blank_form",
    "office/returns/detail.py::return_detail",
    "office/today.py::today",
    "orders/admin/routes.py::order_answer",
    "returns/admin_routes.py::add_return_shipping",
    "returns/drafts.py::order_of_request",
    "staff/dependencies.py::check",
    "staff/invites.py::list_invites",
    "staff/invites.py::read_invite",
    "staff/second_factor.py::recovery_codes_left",
    "staff/service.py::list_staff",
    "staff/service.py::read_staff",
    "staff/sessions.py::sessions_of",
}
"""Beside routes that are got, and those that require a right to see something and no other. A picture is stored outside
of the database: the product that comes to name it is recorded. A sheet is work to do: that it is begun is recorded."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions() -> Iterator[tuple[str, Function]]:
    """Every function of the shop that is called by somebody, by its file and name."""
    for file in sorted(BACKEND.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, Function) and said(node) & (SOMEBODY | MAYBE_SOMEBODY):
                yield f"{file.relative_to(BACKEND)}::{node.name}", node


def said(node: Function) -> set[str]:
    """The types of its parameters."""
    arguments = (*node.args.args, *node.args.kwonlyargs)
    return {ast.unparse(one.annotation) for one in arguments if one.annotation is not None}


def calls_as_somebody(node: Function) -> set[str]:
    """The names of what it calls with whoever acts."""
    names = set()
    for call in ast.walk(node):
        if isinstance(call, ast.Call):
            given = {ast.unparse(one) for one in (*call.args, *(one.value for one in call.keywords))}
            if given & {"actor", "who", "by", "decision", "decision.by"}:
                names.add(call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func))
    return names


def only_sees(node: Function) -> bool:
    """It is a route that is got, or requires rights and all of them are to see something."""
    if any(ast.unparse(one).partition("(")[0].endswith(".get") for one in node.decorator_list):
        return True
    rights = {
        one.attr
        for one in ast.walk(node)
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id == "Right"
    }
    return bool(rights) and all(right.startswith(("READ_", "EXPORT_")) for right in rights)


def test_every_function_of_somebody_records_or_only_reads() -> None:
    found = dict(functions())
    recording = {"record"}
    while True:
        more = {node.name for node in found.values() if calls_as_somebody(node) & recording} - recording
        if not more:
            break
        recording |= more
    silent = {
        name
        for name, node in found.items()
        if said(node) & SOMEBODY
        and not node.name.startswith("_")
        and node.name not in recording
        and not only_sees(node)
        and name not in ONLY_READ
    }
    assert sorted(silent) == []
    assert set(found) >= ONLY_READ


class TestTheGuard:
    async def test_a_silent_write_is_found(self, database: Database) -> None:
        with watching(__file__) as guard:
            async with database.transaction() as session:
                await silently(session, COMMAND_LINE)
        (act,) = guard.silent()
        assert act.name == "silently"

    async def test_a_recorded_one_is_none(self, database: Database) -> None:
        with watching(__file__) as guard:
            async with database.transaction() as session:
                await aloud(session, COMMAND_LINE)
        assert guard.acts
        assert not guard.silent()


async def silently(session: AsyncSession, actor: Actor) -> None:
    session.add(Collection(title=actor.id, handle="x"))
    await session.flush()


async def aloud(session: AsyncSession, actor: Actor) -> None:
    await record(session, actor, "created", Subject(Thing.COLLECTION, "pcol_1"))
    await silently(session, actor)
