"""The timeline of an order: every audited action on an order has a Spanish title, or is hidden on purpose."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import update

import backend
from backend.app import Shop
from backend.audit import Subject, SubjectType, record
from backend.core.db.database import db_now
from backend.fulfillment.delivery import mark_delivered_by_hand
from backend.office.orders.detail import order_detail
from backend.office.orders.timeline import (
    ACTION_LABELS,
    ACTION_LABELS_BY_KIND,
    HIDDEN_ACTIONS,
    PAYMENT_EVENTS,
)
from backend.orders.models import Fulfillment
from backend.orders.money.refunds import REVERSED
from backend.payment.manual_methods import ManualMethod
from backend.payment.models import PaymentSession, Refund
from backend.payment.states import SessionState
from backend.staff.rights import COMMAND_LINE
from tests.backend.returns.steps import Sold, pack_units
from tests.sold_order import SoldOrder

SHARED_RECORDERS = {"attention/service.py", "audit/recording.py"}
"""Modules that record an action on a subject of any type."""


def list_constants(tree: ast.AST, expression: ast.expr) -> Iterator[str]:
    """Yield the texts in an expression. For a name, yield the texts that the module assigns to it."""
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
        text = file.read_text("utf-8")
        if "record(" not in text:
            continue
        tree = ast.parse(text)
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


@pytest.mark.parametrize("state", [one for one in SessionState if one is not SessionState.CAPTURED])
async def test_money_that_arrived_is_never_shown_as_a_refused_payment(
    shop: Shop, sold_order: SoldOrder, state: SessionState
) -> None:
    async with shop.database.transaction() as session:
        await session.execute(update(PaymentSession).values(state=state, captured_amount=50_000))
    async with shop.database.read() as session:
        detail = await order_detail(session, COMMAND_LINE, sold_order.order_id, "Trompo")
    shown = [
        (one.title, " ".join(one.text.split())) for one in detail.events if one.id == sold_order.session_id
    ]
    unused = ("El banco aprobó un pago que no se ha aceptado", "$ 50.000")
    assert shown == ([unused] if state in PAYMENT_EVENTS else [])


async def test_each_delivered_parcel_is_shown_once(
    shop: Shop, admin: httpx.AsyncClient, sold_order: SoldOrder
) -> None:
    """Mark one parcel as delivered by hand, and let the carrier report the delivery of the other."""
    order = Sold(sold_order.order_id, sold_order.line_id)
    by_hand, _by_carrier = await pack_units(admin, order, 1), await pack_units(admin, order, 1)
    async with shop.database.transaction() as session:
        await mark_delivered_by_hand(session, COMMAND_LINE, order.order_id, by_hand, "Lo recogió Ana")
    async with shop.database.transaction() as session:
        others = update(Fulfillment).where(Fulfillment.id != by_hand)
        await session.execute(others.values(delivered_at=db_now()))
    async with shop.database.read() as session:
        detail = await order_detail(session, COMMAND_LINE, order.order_id, "Trompo")
    assert [event.title for event in detail.events].count("Recogido") == 2


REFUNDS: list[tuple[dict[str, Any], str]] = [
    *(({"method": method}, "Devolución anotada") for method in ManualMethod),
    ({"reason": REVERSED}, "El banco devolvió el dinero"),
]


@pytest.mark.parametrize(("columns", "title"), REFUNDS)
async def test_refund_of_every_kind_is_shown_with_its_amount(
    shop: Shop, sold_order: SoldOrder, columns: dict[str, Any], title: str
) -> None:
    async with shop.database.transaction() as session:
        for amount in (1_200, 300):
            session.add(
                Refund(
                    payment_session_id=sold_order.session_id,
                    order_id=sold_order.order_id,
                    amount=amount,
                    reference=f"TR-{amount}",
                    created_by=COMMAND_LINE.id,
                    **columns,
                )
            )
    async with shop.database.read() as session:
        detail = await order_detail(session, COMMAND_LINE, sold_order.order_id, "Trompo")
    shown = [(" ".join(one.text.split()), one.actor_name) for one in detail.events if one.title == title]
    assert sorted(shown) == [("$ 1.200", "la línea de comandos"), ("$ 300", "la línea de comandos")]
