"""Drafts of returns over the Admin API: they have no effect before the confirmation."""

import asyncio
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.audit import AuditEntry
from backend.core.errors import Forbidden, NotAllowed
from backend.mail.models import Mail, MailKind
from backend.returns import drafts
from backend.returns.drafts import RequestData
from backend.returns.models import Return, ReturnDraft, ReturnKind, ReturnLine
from backend.returns.processing import deny
from backend.returns.states import ReturnState
from backend.staff.rights import COMMAND_LINE, Actor, Role
from tests.backend.returns.steps import Sold, read_state, receive_units, request_return
from tests.store_steps import get, post


async def begin_draft(admin: httpx.AsyncClient, of: Sold, **said: Any) -> str:
    """Begin a draft and return its id."""
    body = {"order_id": of.order_id, "internal_note": "Llamó el martes", **said}
    return str((await post(admin, "/admin/returns", body))["return"]["id"])


async def draft_with_units(admin: httpx.AsyncClient, of: Sold, units: int = 1) -> str:
    """Begin a draft with units and return its id."""
    return_id = await begin_draft(admin, of)
    items = [{"id": of.line_id, "quantity": units, "internal_note": "Se rompió"}]
    await post(admin, f"/admin/returns/{return_id}/request-items", {"items": items})
    return return_id


async def read_all(shop: Shop, column: Any) -> list[Any]:
    async with shop.database.read() as session:
        return list((await session.execute(select(column))).scalars())


async def test_confirming_a_draft_creates_the_return_and_deletes_the_draft(
    shop: Shop, admin: httpx.AsyncClient, delivered: Sold
) -> None:
    return_id = await draft_with_units(admin, delivered, units=2)
    assert await read_all(shop, Return.id) == []
    assert (await get(admin, "/admin/returns"))["returns"] == []
    await post(admin, f"/admin/returns/{return_id}/request", {"no_notification": True})
    (row,) = await read_all(shop, Return)
    assert (row.id, row.kind, row.state, row.reason) == (
        return_id,
        ReturnKind.WITHDRAWAL,
        ReturnState.REQUESTED,
        "Llamó el martes",
    )
    (line,) = await read_all(shop, ReturnLine)
    assert (line.quantity, line.note) == (2, "Se rompió")
    assert MailKind.RETURN_REQUESTED in await read_all(shop, Mail.kind)
    assert await read_all(shop, ReturnDraft) == []
    actions = await read_all(shop, AuditEntry.action)
    assert (actions.count("return written"), actions.count("return opened")) == (2, 1)
    again = await admin.post(f"/admin/returns/{return_id}/request", json={})
    assert again.status_code == 404


async def test_draft_cannot_request_units_that_another_return_has_requested_meanwhile(
    shop: Shop, admin: httpx.AsyncClient, delivered: Sold
) -> None:
    return_id = await draft_with_units(admin, delivered, units=2)
    await request_return(shop, delivered, units=1)
    late = await admin.post(f"/admin/returns/{return_id}/request", json={})
    assert (late.status_code, late.json()["type"]) == (400, "invalid_data")
    shown = (await get(admin, f"/admin/returns/{return_id}"))["return"]
    assert (shown["status"], len(shown["items"])) == (
        "open",
        1,
    )  # the draft still exists and can be corrected
    preview = (await get(admin, f"/admin/orders/{delivered.order_id}/preview"))["order"]
    (action,) = preview["order_change"]["actions"]
    item = f"/admin/returns/{return_id}/request-items/{action['id']}"
    more = await admin.post(item, json={"quantity": 2})
    assert more.status_code == 400
    await post(admin, item, {"quantity": 1})
    await post(admin, f"/admin/returns/{return_id}/request", {})
    assert len(await read_all(shop, Return.id)) == 2


async def test_return_received_in_the_office_cannot_be_received_from_an_older_draft(
    shop: Shop, admin: httpx.AsyncClient, delivered: Sold
) -> None:
    row = await request_return(shop, delivered, units=2)
    await post(admin, f"/admin/returns/{row.id}/receive", {})
    items = {"items": [{"id": delivered.line_id, "quantity": 1}]}
    await post(admin, f"/admin/returns/{row.id}/receive-items", items)
    await receive_units(shop, row, delivered, good=2)
    late = await admin.post(f"/admin/returns/{row.id}/receive/confirm", json={})
    assert late.status_code == 404
    assert await read_state(shop, row) == ReturnState.RECEIVED
    assert (await get(admin, f"/admin/returns/{row.id}"))["return"]["items"][0]["received_quantity"] == 2
    assert await read_all(shop, ReturnDraft) == []


async def test_denied_return_leaves_no_receipt_draft_that_blocks_the_next_return(
    shop: Shop, admin: httpx.AsyncClient, delivered: Sold
) -> None:
    row = await request_return(shop, delivered, units=1)
    await post(admin, f"/admin/returns/{row.id}/receive", {})
    blocked = await admin.post("/admin/returns", json={"order_id": delivered.order_id})
    assert blocked.status_code == 400
    async with shop.database.transaction() as session:
        await deny(session, COMMAND_LINE, row.id, "No se compró aquí.")
    await draft_with_units(admin, delivered)


@pytest.mark.parametrize("status", ["requested", "received", "partially_received", "canceled"])
async def test_list_of_returns_is_filtered_by_the_displayed_status(
    shop: Shop, admin: httpx.AsyncClient, delivered: Sold, status: str
) -> None:
    whole, part = [await request_return(shop, delivered, units=1) for _ in range(2)]
    await receive_units(shop, whole, delivered, good=1)
    for row in (await get(admin, "/admin/returns"))["returns"]:
        shown = (await get(admin, f"/admin/returns?status={status}&id={row['id']}"))["returns"]
        assert (shown == [row]) == (row["status"] == status)
    assert (await get(admin, f"/admin/returns/{part.id}"))["return"]["status"] == "requested"


async def test_only_one_of_several_concurrent_drafts_for_an_order_is_created(
    shop: Shop, delivered: Sold
) -> None:
    async def begin() -> str:
        async with shop.database.transaction() as session:
            draft = await drafts.begin_request(
                session, COMMAND_LINE, delivered.order_id, RequestData(ReturnKind.WARRANTY)
            )
        return draft.id

    told = await asyncio.gather(*(begin() for _ in range(3)), return_exceptions=True)
    assert sorted(type(one).__name__ for one in told) == ["NotAllowed", "NotAllowed", "str"]
    assert isinstance(next(one for one in told if not isinstance(one, str)), NotAllowed)
    assert len(await read_all(shop, ReturnDraft.id)) == 1


async def test_stockroom_role_cannot_draft_returns(shop: Shop, delivered: Sold) -> None:
    stockroom = Actor("user_1", Role.STOCKROOM)
    async with shop.database.transaction() as session:
        with pytest.raises(Forbidden):
            await drafts.begin_request(
                session, stockroom, delivered.order_id, RequestData(ReturnKind.WARRANTY)
            )
        with pytest.raises(Forbidden):
            await drafts.begin_receipt(session, stockroom, "return_1")
        with pytest.raises(Forbidden):
            await drafts.find_order_of_request(session, stockroom, "return_1")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"location_id": "sloc_1"}, "another location_id is not possible"),
        ({"metadata": {"colour": "red"}}, "colour"),
        ({"metadata": {"kind": "gift"}}, "kind"),
        ({"internal_note": "x" * 2001}, "internal_note"),
        ({"internal_note": "x" * 1500, "description": "y" * 1500}, "at most 2000"),
    ],
)
async def test_unsupported_data_in_a_draft_of_a_return_are_refused(
    admin: httpx.AsyncClient, delivered: Sold, body: dict[str, Any], message: str
) -> None:
    answer = await admin.post("/admin/returns", json={"order_id": delivered.order_id, **body})
    assert answer.status_code == 400
    assert message in answer.json()["message"]
