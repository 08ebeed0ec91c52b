"""Initial state of an office document: what the signed-in staff member may see, and nothing for others."""

import json
import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from sqlalchemy import update

from backend.app import Shop
from backend.audit import Subject, SubjectType, record
from backend.core.db.database import db_now
from backend.staff.models import Staff, StaffSession
from backend.staff.rights import SHOP, Role
from backend.staff.sessions import COOKIE, LIFETIME, Browser, close_session, open_session
from storefront.documents.render_cache import PERSONAL_DEADLINE
from storefront.office import state as office_state
from storefront.office.routes import OFFICE_PAGES
from storefront.office.stock import state as stock_state
from storefront.pages.routes import sample_path
from tests.storefront.documents.conftest import FakeRenderer

STATE = re.compile(r'<template id="initial-state">(.*?)</template>')
AUDIT = "/oficina/auditoria"
STOCK = "/oficina/bodega"


@pytest.fixture(autouse=True)
def may_render(renderer: FakeRenderer) -> None:
    renderer.may_render = True


async def create_token(shop: Shop, role: Role) -> str:
    """Return the token of a staff member of this role who has just signed in."""
    async with shop.database.transaction() as session:
        member = Staff(email=f"{role}@trompo.example", password_hash="never used", role=role)
        session.add(member)
        await session.flush()
        return await open_session(session, member.id, Browser("190.24.1.1"), has_second_factor=True)


async def request_document(browser: httpx.AsyncClient, path: str, token: str) -> httpx.Response:
    """Return the document at `path` for a browser with this token."""
    return await browser.get(path, headers={"cookie": f"other=1; {COOKIE}={token}"})


def parse_states(answer: httpx.Response) -> dict[str, dict[str, Any]]:
    """Return the document's initial values, by the final part of a state's name."""
    found = STATE.search(answer.text)
    assert found is not None
    states = {name.rpartition("____")[2]: values for name, values in json.loads(found[1]).items()}
    return {
        name: {key.removesuffix("_rx_state_"): value for key, value in values.items()}
        for name, values in states.items()
    }


async def test_office_document_has_the_state_of_its_screen_and_the_staff_member(
    toyshop: Shop, browser: httpx.AsyncClient
) -> None:
    token = await create_token(toyshop, Role.STOCKROOM)
    answer = await request_document(browser, f"{STOCK}?q=oso", token)
    states = parse_states(answer)
    assert set(states) == {"stock_state", "staff_state"}
    assert [row["title"] for row in states["stock_state"]["content"]["rows"]] == ["Oso <b>Tomás</b> & Cía"]
    assert (states["stock_state"]["is_ready"], states["stock_state"]["problem"]) == (True, "")
    assert states["staff_state"]["member"]["role"] == "Bodega"
    assert "<b>Tomás" not in answer.text  # values are escaped
    assert token not in answer.text


async def test_office_document_is_not_cached(
    toyshop: Shop, browser: httpx.AsyncClient, renderer: FakeRenderer
) -> None:
    owner, stockroom = await create_token(toyshop, Role.OWNER), await create_token(toyshop, Role.STOCKROOM)
    answers = [await request_document(browser, STOCK, token) for token in (owner, owner, stockroom)]
    assert renderer.rendered == [STOCK] * 3
    roles = [parse_states(answer)["staff_state"]["member"]["role"] for answer in answers]
    assert roles == ["Dueño", "Dueño", "Bodega"]
    for answer in answers:
        assert answer.headers["cache-control"] == "no-store"
        assert "etag" not in answer.headers
    assert parse_states(await browser.get(STOCK)) == {}


async def test_office_document_contains_only_what_the_role_may_see(
    toyshop: Shop, browser: httpx.AsyncClient
) -> None:
    async with toyshop.database.transaction() as session:
        await record(
            session, SHOP, "noted", Subject(SubjectType.CATALOG, "catalog"), {"note": (None, "secreta")}
        )
    owner = await request_document(browser, AUDIT, await create_token(toyshop, Role.OWNER))
    assert "secreta" in owner.text
    stockroom = await request_document(browser, AUDIT, await create_token(toyshop, Role.STOCKROOM))
    assert "secreta" not in stockroom.text
    shown = parse_states(stockroom)["audit_state"]
    assert (shown["content"], shown["is_ready"], shown["problem"]) == (None, False, "forbidden")


END: dict[str, Callable[[], Any]] = {
    "signed out": lambda: update(StaffSession).values(revoked_at=db_now()),
    "over": lambda: update(StaffSession).values(expires_at=db_now(-LIFETIME)),
    "disabled": lambda: update(Staff).values(disabled_at=db_now()),
}


@pytest.mark.parametrize("end", END)
async def test_office_document_is_empty_after_the_session_has_ended(
    toyshop: Shop, browser: httpx.AsyncClient, end: str
) -> None:
    token = await create_token(toyshop, Role.OWNER)
    assert parse_states(await request_document(browser, STOCK, token)) != {}
    async with toyshop.database.transaction() as session:
        await session.execute(END[end]())
    assert (await request_document(browser, STOCK, token)).text == (await browser.get(STOCK)).text


async def test_office_document_is_empty_without_a_session(toyshop: Shop, browser: httpx.AsyncClient) -> None:
    paths = [sample_path(page) for page in OFFICE_PAGES]
    token = await create_token(toyshop, Role.OWNER)
    for path in paths:
        has_state = parse_states(await request_document(browser, path, token)) != {}
        assert (path, has_state) == (path, path != "/oficina/entrar")
    async with toyshop.database.transaction() as session:
        await close_session(session, token)
    for path in paths:
        for cookie in ("", f"{COOKIE}={token}", f"{COOKIE}=", f"{COOKIE}={'x' * 5000}", "trompo_session=x"):
            answer = await browser.get(path, headers={"cookie": cookie})
            assert (path, cookie, parse_states(answer)) == (path, cookie, {})


async def test_office_document_whose_state_fails_to_load_is_sent_without_state(
    toyshop: Shop, browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("the database is away")

    token = await create_token(toyshop, Role.OWNER)
    monkeypatch.setattr(stock_state, "stock_page", broken)
    assert parse_states(await request_document(browser, STOCK, token)) == {}
    monkeypatch.setattr(office_state, "read_navigation_counts", broken)
    answer = await request_document(browser, "/oficina/pedidos", token)
    assert (answer.status_code, parse_states(answer)) == (200, {})


async def test_office_document_whose_state_is_late_is_sent_without_state(
    toyshop: Shop, browser: httpx.AsyncClient, renderer: FakeRenderer
) -> None:
    token = await create_token(toyshop, Role.OWNER)
    renderer.seconds = PERSONAL_DEADLINE * 2
    answer = await request_document(browser, STOCK, token)
    assert (answer.status_code, parse_states(answer)) == (200, {})
