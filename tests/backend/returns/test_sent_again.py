"""Forms of returns that are sent again because the answer was lost.

| sent again | outcome |
|---|---|
| with the same id, by header or in the address | one return, both answers lead to it |
| the same, when nothing is left to be asked for | the same; not "too late" |
| at once, with the same id | one return |
| with another id | two returns |
| refused, to a script | the reason and no address: what is typed stays |
"""

import asyncio

import httpx
import pytest
from sqlalchemy import func, select

from backend.app import Shop
from backend.orders.links.tokens import order_token
from backend.returns.models import Return
from tests.backend.returns.steps import Sold

OWN = {"origin": "http://shop.test"}
SCRIPT = {**OWN, "accept": "application/json"}
FIRST, SECOND = "0f" * 16, "1e" * 16


async def returns(shop: Shop) -> int:
    async with shop.database.read() as session:
        return (await session.execute(select(func.count()).select_from(Return))).scalar_one()


def return_path(shop: Shop, of: Sold) -> str:
    return f"/api/returns?id={of.order_id}&token={order_token(shop.settings.signing_key, of.order_id)}"


@pytest.mark.parametrize("is_script", [True, False])
async def test_a_return_is_stored_once(
    shop: Shop,
    anyone: httpx.AsyncClient,
    delivered: Sold,
    is_script: bool,
) -> None:
    path = return_path(shop, delivered)

    async def send(press: str, units: int) -> str:
        typed = delivered.asked("warranty", units, reason="No gira.")
        files = [("pictures", ("", b""))]
        if is_script:
            answer = await anyone.post(path, data=typed, files=files, headers={**SCRIPT, "x-press": press})
            assert answer.status_code == 200, answer.text
            page = str(answer.json()["next"])
        else:
            answer = await anyone.post(f"{path}&press={press}", data=typed, files=files, headers=OWN)
            page = answer.headers["location"]
        return page.partition("&said=")[2].partition("#")[0]

    assert [await send(FIRST, 1), await send(FIRST, 1)] == ["asked", "asked"]
    assert await returns(shop) == 1
    assert [await send(SECOND, 1), await send(SECOND, 1)] == ["asked", "asked"]
    assert await returns(shop) == 2
    assert await send("2d" * 16, 1) == "late"  # nothing is left to be asked for


async def test_a_refused_form_stays_on_its_page(
    shop: Shop,
    anyone: httpx.AsyncClient,
    delivered: Sold,
) -> None:
    typed = delivered.asked("warranty", 7, reason="No gira.")
    files = [("pictures", ("", b""))]
    answer = await anyone.post(return_path(shop, delivered), data=typed, files=files, headers=SCRIPT)
    assert (answer.status_code, answer.json()["fields"]) == (400, {})
    assert answer.json()["message"].startswith("No se envió")
    assert "next" not in answer.json()
    assert await returns(shop) == 0


async def test_a_return_that_comes_twice_at_once_is_stored_once(
    shop: Shop, anyone: httpx.AsyncClient, delivered: Sold
) -> None:
    typed = delivered.asked("warranty", 1, reason="No gira.")
    files = [("pictures", ("", b""))]
    headers = {**SCRIPT, "x-press": FIRST}
    path = return_path(shop, delivered)
    both = [anyone.post(path, data=typed, files=files, headers=headers) for _time in range(2)]
    assert [answer.status_code for answer in await asyncio.gather(*both)] == [200, 200]
    assert await returns(shop) == 1
