"""The office's list of attention rows."""

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.attention import AttentionKind, raise_attention
from backend.attention.kinds import RULES, Action
from backend.attention.models import Attention
from backend.core.errors import Forbidden, InvalidData
from backend.office import attention as module
from backend.office.attention import AttentionPage, count_new_attention, open_attention
from backend.staff.rights import RIGHTS, Actor, Role
from backend.staff_notices.waiting_work import read_waiting_work
from tests.amounts import cop

OWNER = Actor("user_1", Role.OWNER)


async def raise_all(shop: Shop) -> None:
    async with shop.database.transaction() as session:
        for kind in AttentionKind:
            await raise_attention(
                session, kind, subject_id=f"subject_{kind}", message="It happened", amount=33_528
            )


async def read_attention_page(shop: Shop, cursor: str = "", actor: Actor = OWNER) -> AttentionPage:
    async with shop.database.read() as session:
        return await open_attention(session, actor, cursor)


async def test_every_kind_of_attention_has_title_advice_and_action(shop: Shop) -> None:
    await raise_all(shop)
    rows = {row.kind: row for row in (await read_attention_page(shop)).rows}
    assert set(rows) == set(AttentionKind)
    for kind, rules in RULES.items():
        row = rows[kind]
        assert (row.title, row.advice, row.recommended.name) == (rules.title, rules.advice, rules.recommended)
        assert {row.recommended.name, *(other.name for other in row.others)} == set(rules.actions)
        assert (row.about, row.is_late) == (cop("$ 33.528"), False)
        needs = {way.name: way.needs for way in (row.recommended, *row.others)}
        assert needs[Action.DISMISSED] == "note"
        assert needs.get(Action.REFUNDED, "reference") == "reference"


async def test_only_attention_rows_about_payments_offer_to_accept_the_payment(shop: Shop) -> None:
    await raise_all(shop)
    for row in (await read_attention_page(shop)).rows:
        labels = {way.label for way in (row.recommended, *row.others)}
        assert "Aceptar el pago" not in labels or Action.REFUNDED in RULES[AttentionKind(row.kind)].actions


async def test_pages_of_the_attention_list_contain_all_rows_in_order(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAGE_SIZE", 4)
    await raise_all(shop)
    async with shop.database.read() as session:
        urgent_first = select(Attention.id).order_by(Attention.due_at, Attention.id)
        wanted = list((await session.execute(urgent_first)).scalars())
    found: list[str] = []
    cursor = ""
    while True:
        read = await read_attention_page(shop, cursor)
        assert 0 < len(read.rows) <= 4
        found += [row.id for row in read.rows]
        cursor = read.cursor
        if not cursor:
            break
    assert found == wanted


@pytest.mark.parametrize("cursor", ["x", "|", "2026-01-01T00:00:00|attn_1", "\x00|a"])
async def test_invalid_cursor_is_refused(shop: Shop, cursor: str) -> None:
    with pytest.raises(InvalidData):
        await read_attention_page(shop, cursor)


async def test_new_attention_rows_are_counted(shop: Shop) -> None:
    await raise_all(shop)
    known = [row.id for row in (await read_attention_page(shop)).rows][:3]
    async with shop.database.read() as session:
        assert await count_new_attention(session, OWNER, known) == len(AttentionKind) - 3
        assert (await read_waiting_work(session)).attention == len(AttentionKind)


async def test_attention_rows_of_the_next_page_do_not_count_as_new(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAGE_SIZE", 4)
    await raise_all(shop)
    shown = await read_attention_page(shop)
    known = [row.id for row in shown.rows]
    async with shop.database.read() as session:
        assert await count_new_attention(session, OWNER, known, shown.cursor) == 0
        assert await count_new_attention(session, OWNER, known[1:], shown.cursor) == 1


async def test_attention_list_is_not_readable_without_the_right(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(RIGHTS, Role.STOCKROOM, frozenset())
    nobody = Actor("user_2", Role.STOCKROOM)
    with pytest.raises(Forbidden):
        await read_attention_page(shop, actor=nobody)
    async with shop.database.read() as session:
        with pytest.raises(Forbidden):
            await count_new_attention(session, nobody, [])
