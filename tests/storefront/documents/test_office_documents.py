"""What a screen's document starts with: what whoever is signed in may see there, and nothing for anybody else."""

import json
import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from sqlalchemy import update

from backend.app import Shop
from backend.audit import Subject, Thing, record
from backend.core.db.database import db_now
from backend.staff.models import Staff, StaffSession
from backend.staff.rights import SHOP, Role
from backend.staff.sessions import COOKIE, LIFETIME, Browser, close_session, open_session
from storefront.documents.render_cache import PERSONAL_DEADLINE
from storefront.office.routes import OFFICE_PAGES
from storefront.office.state import OfficeScreen
from storefront.office.stock.state import StockState
from storefront.pages.routes import sample_of
from tests.storefront.documents.conftest import FakeRenderer

STATE = re.compile(r'<template id="initial-state">(.*?)</template>')
AUDIT = "/oficina/auditoria"
STOCK = "/oficina/bodega"


@pytest.fixture(autouse=True)
def may_render(renderer: FakeRenderer) -> None:
    renderer.may_render = True


async def token_of(shop: Shop, role: Role) -> str:
    """The token of somebody of this role who has just signed in."""
    async with shop.database.transaction() as session:
        member = Staff(email=f"{role}@trompo.example", password_hash="never used", role=role)
        session.add(member)
        await session.flush()
        return await open_session(session, member.id, Browser("190.24.1.1"), has_second_factor=True)


async def asked(browser: httpx.AsyncClient, path: str, token: str) -> httpx.Response:
    """The document at `path` for the browser with this token."""
    return await browser.get(path, headers={"cookie": f"other=1; {COOKIE}={token}"})


def states_in(answer: httpx.Response) -> dict[str, dict[str, Any]]:
    """The values that a document starts with, by the last part of a state's name."""
    found = STATE.search(answer.text)
    assert found is not None
    states = {name.rpartition("____")[2]: values for name, values in json.loads(found[1]).items()}
    return {
        name: {key.removesuffix("_rx_state_"): value for key, value in values.items()}
        for name, values in states.items()
    }


async def test_it_holds_what_its_address_asks_for_and_who_sees_it(
    toyshop: Shop, browser: httpx.AsyncClient
) -> None:
    token = await token_of(toyshop, Role.STOCKROOM)
    answer = await asked(browser, f"{STOCK}?q=oso", token)
    states = states_in(answer)
    assert set(states) == {"stock_state", "staff_state"}
    assert [row["title"] for row in states["stock_state"]["content"]["rows"]] == ["Oso <b>Tomás</b> & Cía"]
    assert (states["stock_state"]["is_ready"], states["stock_state"]["problem"]) == (True, "")
    assert states["staff_state"]["who"]["role"] == "Bodega"
    assert "<b>Tomás" not in answer.text  # nothing in it is markup
    assert token not in answer.text


async def test_it_is_stored_by_nobody(
    toyshop: Shop, browser: httpx.AsyncClient, renderer: FakeRenderer
) -> None:
    owner, stockroom = await token_of(toyshop, Role.OWNER), await token_of(toyshop, Role.STOCKROOM)
    answers = [await asked(browser, STOCK, token) for token in (owner, owner, stockroom)]
    assert renderer.rendered == [STOCK] * 3
    roles = [states_in(answer)["staff_state"]["who"]["role"] for answer in answers]
    assert roles == ["Dueño", "Dueño", "Bodega"]
    for answer in answers:
        assert answer.headers["cache-control"] == "no-store"
        assert "etag" not in answer.headers
    assert states_in(await browser.get(STOCK)) == {}


async def test_roles_see_what_they_may(toyshop: Shop, browser: httpx.AsyncClient) -> None:
    async with toyshop.database.transaction() as session:
        await record(session, SHOP, "noted", Subject(Thing.CATALOG, "catalog"), {"note": (None, "secreta")})
    owner = await asked(browser, AUDIT, await token_of(toyshop, Role.OWNER))
    assert "secreta" in owner.text
    stockroom = await asked(browser, AUDIT, await token_of(toyshop, Role.STOCKROOM))
    assert "secreta" not in stockroom.text
    shown = states_in(stockroom)["audit_state"]
    assert (shown["content"], shown["is_ready"], shown["problem"]) == (None, False, "forbidden")


END: dict[str, Callable[[], Any]] = {
    "signed out": lambda: update(StaffSession).values(revoked_at=db_now()),
    "over": lambda: update(StaffSession).values(expires_at=db_now(-LIFETIME)),
    "disabled": lambda: update(Staff).values(disabled_at=db_now()),
}


@pytest.mark.parametrize("end", END)
async def test_nothing_is_in_it_once_the_session_has_ended(
    toyshop: Shop, browser: httpx.AsyncClient, end: str
) -> None:
    token = await token_of(toyshop, Role.OWNER)
    assert states_in(await asked(browser, STOCK, token)) != {}
    async with toyshop.database.transaction() as session:
        await session.execute(END[end]())
    assert (await asked(browser, STOCK, token)).text == (await browser.get(STOCK)).text


@pytest.mark.parametrize("path", [sample_of(page) for page in OFFICE_PAGES])
async def test_nothing_is_in_any_without_a_session(
    toyshop: Shop, browser: httpx.AsyncClient, path: str
) -> None:
    token = await token_of(toyshop, Role.OWNER)
    assert path == "/oficina/entrar" or states_in(await asked(browser, path, token)) != {}
    async with toyshop.database.transaction() as session:
        await close_session(session, token)
    for cookie in ("", f"{COOKIE}={token}", f"{COOKIE}=", f"{COOKIE}={'x' * 5000}", "trompo_session=x"):
        assert states_in(await browser.get(path, headers={"cookie": cookie})) == {}


async def test_what_cannot_be_read_is_left_to_the_websocket(
    toyshop: Shop, browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("the database is away")

    token = await token_of(toyshop, Role.OWNER)
    monkeypatch.setattr(StockState, "_content", broken)
    assert states_in(await asked(browser, STOCK, token)) == {}
    monkeypatch.setattr(OfficeScreen, "_greet", broken)
    answer = await asked(browser, "/oficina/pedidos", token)
    assert (answer.status_code, states_in(answer)) == (200, {})


async def test_a_late_one_holds_nothing(
    toyshop: Shop, browser: httpx.AsyncClient, renderer: FakeRenderer
) -> None:
    token = await token_of(toyshop, Role.OWNER)
    renderer.seconds = PERSONAL_DEADLINE * 2
    answer = await asked(browser, STOCK, token)
    assert (answer.status_code, states_in(answer)) == (200, {})
