"""The timeline of an order: every audited action on an order has a Spanish title, or is hidden on purpose."""

import ast
from collections.abc import Iterator
from pathlib import Path

import backend
from backend.app import Shop
from backend.audit import Subject, SubjectType, record
from backend.office.orders.detail import order_detail
from backend.office.orders.timeline import ACTION_LABELS, ACTION_LABELS_BY_KIND, HIDDEN_ACTIONS
from backend.staff.rights import COMMAND_LINE
from tests.sold_order import SoldOrder

SHARED_RECORDERS = {"attention/service.py", "audit/recording.py"}
"""Modules that record an action on a subject of any type."""


def list_constants(tree: ast.AST, expression: ast.expr) -> Iterator[str]:
    """Yield the texts of an expression; of a name, the texts that its module assigns to it."""
    if isinstance(expression, ast.Name):
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == expression.id:
                yield from list_constants(tree, node.value)
        return
    for node in ast.walk(expression):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def read_order_actions() -> set[str]:
    """Return the actions that the shop records on orders."""
    root = Path(backend.__file__).parent
    actions: set[str] = set()
    for file in root.rglob("*.py"):
        tree = ast.parse(file.read_text("utf-8"))
        is_shared = file.relative_to(root).as_posix() in SHARED_RECORDERS
        for call in ast.walk(tree):
            if not isinstance(call, ast.Call) or ast.unparse(call.func) != "record" or len(call.args) < 4:
                continue
            if is_shared or "SubjectType.ORDER," in ast.unparse(call.args[3]):
                actions.update(list_constants(tree, call.args[2]))
    return actions


def test_every_action_on_an_order_has_a_title_or_is_hidden() -> None:
    actions = read_order_actions()
    assert {"resolved", "sold", "converted", "label requested", "return written"} <= actions
    assert actions - ACTION_LABELS.keys() - HIDDEN_ACTIONS == set()
    assert all(ACTION_LABELS.keys() <= labels.keys() for labels in ACTION_LABELS_BY_KIND.values())


async def test_action_without_a_title_is_not_shown_in_english(shop: Shop, sold_order: SoldOrder) -> None:
    async with shop.database.transaction() as session:
        for action in ("resolved", "written by a later release"):
            await record(session, COMMAND_LINE, action, Subject(SubjectType.ORDER, sold_order.order_id))
    async with shop.database.read() as session:
        detail = await order_detail(session, COMMAND_LINE, sold_order.order_id, "Trompo")
    titles = [event.title for event in detail.events]
    assert {"Pendiente resuelto", "Otro cambio"} <= set(titles)
    assert not [title for title in titles if "later release" in title or title == "resolved"]
