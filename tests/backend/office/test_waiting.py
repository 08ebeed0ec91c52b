"""Work that waits for staff: its numbers and legal deadlines on the start screen and in the navigation."""

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.attention.kinds import AttentionKind
from backend.attention.models import Attention
from backend.catalog.models import Product
from backend.core.db.database import database_now
from backend.inventory.models import InventoryLevel
from backend.office.today import today_view
from backend.office.waiting import read_navigation_counts
from backend.payment.providers.base import ProviderState
from backend.pqrs.models import Pqrs, PqrsKind
from backend.pqrs.service import answer_pqrs, send_pqrs
from backend.rate_limit.limiter import Client
from backend.returns.models import Return, ReturnKind
from backend.returns.states import OPEN, ReturnState
from backend.reviews.models import Review
from backend.staff.rights import COMMAND_LINE, RIGHTS, Actor, Right, Role
from backend.staff_notices.waiting_work import WaitingWork, WorkWithDeadline, format_days_left
from tests.backend.orders.paying import report_payment
from tests.sold_order import SoldOrder
from tests.store_defaults import Defaults, add_product

OWNER = Actor("user_1", Role.OWNER, has_second_factor=True)
TYPED = {"kind": "queja", "name": "Ana", "email": "ana@example.com", "text": "Nadie contesta el teléfono."}


async def add_return(shop: Shop, state: ReturnState, due_in: timedelta) -> None:
    async with shop.database.transaction() as session:
        moment = await database_now(session)
        session.add(
            Return(
                order_id="order_1", kind="withdrawal", state=state, asked_at=moment, due_at=moment + due_in
            )
        )


async def add_pqrs(shop: Shop, due_in: timedelta, number: int = 0) -> str:
    row = await send_pqrs(
        shop.database, {**TYPED, "email": f"ana{number}@example.com"}, client=Client(f"190.24.{number}.1")
    )
    async with shop.database.transaction() as session:
        due_at = await database_now(session) + due_in
        await session.execute(update(Pqrs).where(Pqrs.id == row.id).values(due_at=due_at))
    return row.id


async def test_open_pqrs_and_returns_are_on_the_start_screen_with_their_nearest_deadline(shop: Shop) -> None:
    await add_pqrs(shop, timedelta(days=9))
    await add_return(shop, ReturnState.REQUESTED, timedelta(days=3))
    await add_return(shop, ReturnState.TO_PAY, timedelta(days=12))
    await add_return(shop, ReturnState.PAID, timedelta(days=-1))
    async with shop.database.read() as session:
        view = await today_view(session, OWNER, shop.settings)
    assert (view.pqrs.count, view.pqrs.late, view.pqrs.deadline_label) == (1, 0, "Quedan 9 días")
    assert (view.returns.count, view.returns.late, view.returns.deadline_label) == (2, 0, "Quedan 3 días")
    assert (view.pqrs.is_urgent, view.returns.is_urgent, view.is_quiet) == (False, True, False)


WAITS: dict[str, Any] = {
    "to_pack": 1,
    "oldest_paid_at": datetime(2026, 11, 2, tzinfo=UTC),
    "attention": 1,
    "attention_late": 1,
    "reviews": 1,
    "pqrs": WorkWithDeadline(count=1),
    "returns": WorkWithDeadline(count=1),
}
"""A value of each kind of work that waits."""


def test_waiting_work_is_empty_only_if_every_kind_is_empty() -> None:
    assert WAITS.keys() == {kind.name for kind in fields(WaitingWork)}
    nothing = WaitingWork(0, None, 0, 0, 0, WorkWithDeadline(), WorkWithDeadline())
    assert nothing.is_empty
    assert [name for name, value in WAITS.items() if replace(nothing, **{name: value}).is_empty] == []


async def read_quiet_flags(shop: Shop) -> tuple[bool, bool]:
    """Return two flags: the start screen says that nothing waits; the navigation shows no number."""
    async with shop.database.read() as session:
        counts = await read_navigation_counts(session, OWNER)
        return (await today_view(session, OWNER, shop.settings)).is_quiet, not any(counts.numbers.values())


async def test_start_screen_and_navigation_show_waiting_rows_of_every_kind(
    shop: Shop, shop_defaults: Defaults
) -> None:
    """Create a row of every kind, state and type that waits for staff. Delete it before the next one."""
    async with shop.database.transaction() as session:
        await add_product(session, shop_defaults, "trompo", stock=10)
        product_id = (await session.execute(select(Product.id))).scalar_one()
    assert await read_quiet_flags(shop) == (True, True)
    async with shop.database.read() as session:
        moment = await database_now(session)
    rows: list[Any] = [
        *(Attention(kind=kind, message="It happened", subject_id=kind) for kind in AttentionKind),
        *(
            Return(order_id="order_1", kind=kind, state=state, asked_at=moment, due_at=moment)
            for kind in ReturnKind
            for state in OPEN
        ),
        *(
            Pqrs(kind=kind, name="Ana", email="ana@example.com", text="Hola", asked_at=moment, due_at=moment)
            for kind in PqrsKind
        ),
        Review(product_id=product_id, name="Ana", stars=4, text="Bien", written_at=moment),
    ]
    for row in rows:
        async with shop.database.transaction() as session:
            session.add(row)
        assert await read_quiet_flags(shop) == (False, False), row
        async with shop.database.transaction() as session:
            await session.delete(row)
    assert await read_quiet_flags(shop) == (True, True)


@pytest.mark.parametrize("waiting", ["payment", "packing", "stock"])
async def test_start_screen_shows_waiting_orders_and_low_stock(
    shop: Shop, order_at_bank: SoldOrder, waiting: str
) -> None:
    """Check that the start screen also counts payments at the bank and low stock; the navigation does not."""
    assert await read_quiet_flags(shop) == (False, True)
    if waiting == "packing":
        await report_payment(shop, order_at_bank.session_id, ProviderState.CAPTURED)
        assert await read_quiet_flags(shop) == (False, False)
        return
    await report_payment(shop, order_at_bank.session_id, ProviderState.REJECTED)
    assert await read_quiet_flags(shop) == (True, True)
    if waiting == "stock":
        async with shop.database.transaction() as session:
            await session.execute(update(InventoryLevel).values(stocked=0))
        assert await read_quiet_flags(shop) == (False, True)


async def test_start_screen_counts_open_and_late_pqrs_but_no_answered_ones(shop: Shop) -> None:
    answered, _late = await add_pqrs(shop, timedelta(days=2), 1), await add_pqrs(shop, -timedelta(days=3), 2)
    async with shop.database.transaction() as session:
        await answer_pqrs(session, COMMAND_LINE, answered, "Ya contestamos.")
    async with shop.database.read() as session:
        view = await today_view(session, OWNER, shop.settings)
    assert (view.pqrs.count, view.pqrs.late, view.pqrs.is_urgent) == (1, 1, True)
    assert view.pqrs.deadline_label == "Pasó hace 3 días"


async def test_navigation_sums_the_counts_of_the_places_in_the_more_menu(shop: Shop) -> None:
    await add_pqrs(shop, timedelta(days=9))
    await add_return(shop, ReturnState.REQUESTED, timedelta(days=1))
    async with shop.database.read() as session:
        counts = await read_navigation_counts(session, OWNER)
    numbers = {"attention": 0, "pack": 0, "pqrs": 1, "returns": 1, "reviews": 0, "more": 2}
    assert counts.numbers == numbers
    assert counts.deadlines == {"pqrs": "Quedan 9 días", "returns": "Queda 1 día"}


async def test_navigation_counts_nothing_that_the_role_may_not_see(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    await add_pqrs(shop, timedelta(days=9))
    monkeypatch.setitem(RIGHTS, Role.STOCKROOM, frozenset({Right.READ_CATALOG}))
    async with shop.database.read() as session:
        counts = await read_navigation_counts(session, Actor("user_2", Role.STOCKROOM))
    assert (counts.numbers, counts.deadlines) == ({"attention": 0}, {})


@pytest.mark.parametrize(
    ("days", "label"),
    [
        (-2, "Pasó hace 2 días"),
        (-1, "Pasó ayer"),
        (0, "Vence hoy"),
        (1, "Queda 1 día"),
        (2, "Quedan 2 días"),
    ],
)
def test_days_left_are_formatted_in_words(days: int, label: str) -> None:
    assert format_days_left(days) == label
