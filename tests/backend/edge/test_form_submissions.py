"""PQRS that are sent again because the answer was lost. For returns, see `tests/backend/returns/test_sent_again.py`.

| form | sent again | outcome |
|---|---|---|
| PQRS | with the same id, one after the other or at once | one record, both answers lead to it |
| PQRS | with another id | two records |
| PQRS without scripts | the same text from the same address | one record |
| PQRS without scripts | another text | two records |
| PQRS without scripts | another client sends its derived id, by header or URL | a separate record |
| any | an invalid id | as without an id |
"""

import asyncio
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select

from backend.app import Shop
from backend.edge.form_submissions import hash_content
from backend.pqrs.models import Pqrs
from backend.pqrs.routes import FIELDS, SCRIPTLESS_FORM
from backend.presses.models import Press
from backend.presses.service import Sending
from tests.backend.conftest import SHOPPER

OWN = {"origin": "http://shop.test"}
SCRIPT = {**OWN, "accept": "application/json"}
FIRST, SECOND = "0f" * 16, "1e" * 16
FORM = {
    "kind": "reclamo",
    "name": "Ana Gómez",
    "email": "ana@example.com",
    "text": "El trompo llegó sin cuerda.",
}


async def count(shop: Shop, table: Any) -> int:
    async with shop.database.read() as session:
        return int((await session.execute(select(func.count()).select_from(table))).scalar_one())


async def send_pqrs(client: httpx.AsyncClient, press: str, **changes: str) -> str:
    answer = await client.post("/api/pqrs", json={**FORM, **changes}, headers={**SCRIPT, "x-press": press})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["next"])


async def test_repeated_pqrs_is_stored_once(shop: Shop, anyone: httpx.AsyncClient) -> None:
    first = await send_pqrs(anyone, FIRST)
    assert await send_pqrs(anyone, FIRST) == first
    assert await count(shop, Pqrs) == 1
    assert await send_pqrs(anyone, SECOND) != first
    assert await count(shop, Pqrs) == 2


async def test_simultaneous_pqrs_is_stored_once(shop: Shop, anyone: httpx.AsyncClient) -> None:
    pages = await asyncio.gather(send_pqrs(anyone, FIRST), send_pqrs(anyone, FIRST))
    assert pages[0] == pages[1]
    assert await count(shop, Pqrs) == 1


@pytest.mark.parametrize("press", ["", "x", "0F" * 16, "0" * 31, "0" * 33, "0f" * 32])
async def test_two_forms_with_the_same_invalid_press_id_are_both_stored(
    shop: Shop, anyone: httpx.AsyncClient, press: str
) -> None:
    assert await send_pqrs(anyone, press) != await send_pqrs(anyone, press)
    assert await count(shop, Pqrs) == 2


async def test_repeated_pqrs_does_not_count_towards_the_limit(shop: Shop, anyone: httpx.AsyncClient) -> None:
    first = await send_pqrs(anyone, FIRST)
    for _again in range(5):
        assert await send_pqrs(anyone, FIRST) == first


async def test_repeated_pqrs_without_scripts_is_stored_once(shop: Shop, anyone: httpx.AsyncClient) -> None:
    async def send(**changes: str) -> str:
        answer = await anyone.post("/api/pqrs/form", data={**FORM, **changes}, headers=OWN)
        assert answer.status_code == 303
        return answer.headers["location"]

    assert await send() == await send()
    assert await count(shop, Pqrs) == 1
    await send(text="El trompo llegó sin cuerda, otra vez.")
    assert await count(shop, Pqrs) == 2


async def test_guessed_press_id_does_not_reveal_another_clients_pqrs(
    shop: Shop, anyone: httpx.AsyncClient
) -> None:
    answer = await anyone.post("/api/pqrs/form", data=FORM, headers=OWN)
    private = answer.headers["location"]
    derived = hash_content([SHOPPER[0], {name: FORM.get(name, "") for name in FIELDS}])
    async with shop.database.read() as session:
        assert await session.get(Press, Sending(SCRIPTLESS_FORM, derived).digest) is not None
    for sent, path, headers in (
        ("header", "", {**SCRIPT, "x-press": derived}),
        ("address", f"?press={derived}", SCRIPT),
    ):
        typed = {**FORM, "email": f"{sent}@example.com"}
        answer = await anyone.post(f"/api/pqrs{path}", json=typed, headers=headers)
        assert answer.json()["next"] != private
        answer = await anyone.post(f"/api/pqrs/form{path}", data=typed, headers=headers)
        assert answer.headers["location"] not in (private, "/pqrs?said=wait")
    assert await count(shop, Pqrs) == 5
