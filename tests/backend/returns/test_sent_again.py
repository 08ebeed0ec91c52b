"""Forms of returns that are sent again because the answer was lost.

| sent again | outcome |
|---|---|
| with the same id, by header or in the address | one return, both answers lead to it |
| the same, when nothing is left to be asked for | the same; not "too late" |
| at once, with the same id | one return |
| with another id | two returns |
| with the same id, and another kind, other units, or a picture | two returns |
| with the same id, for another order | a return of each |
| after the limit of new ones is used up | the answer leads to it; a new one has to wait |
| more often than a form is sent again | has to wait, and is not read |
| with an id, where there is neither a return nor anything to ask for | not read |
| refused, to a script | the reason and no address: what is typed stays |
"""

import asyncio
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select

from backend.app import Shop
from backend.orders.links.tokens import ORDER_LINK
from backend.payment.providers.base import ProviderState
from backend.returns.models import Return
from backend.returns.routes import LIMIT, RESEND_LIMIT
from tests.backend.orders.paying import at_the_bank, said, sessions_of
from tests.backend.returns.steps import ACCOUNT, Sold, deliver, send, sold
from tests.backend.returns.test_routes import png
from tests.backend.stalled import stalled

OWN = {"origin": "http://shop.test"}
SCRIPT = {**OWN, "accept": "application/json"}
FIRST, SECOND = "0f" * 16, "1e" * 16


@pytest.fixture
async def three_delivered(shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, toy: str) -> Sold:
    """Three units of a toy were sent and delivered."""
    order = await sold(shop, store, admin, toy, units=3)
    await send(admin, order, units=3)
    await deliver(shop, order)
    return order


async def returns(shop: Shop) -> int:
    async with shop.database.read() as session:
        return (await session.execute(select(func.count()).select_from(Return))).scalar_one()


def return_path(shop: Shop, order_id: str) -> str:
    return f"/api/returns?id={order_id}&token={ORDER_LINK.token(shop.settings.signing_key, order_id)}"


@pytest.mark.parametrize("is_script", [True, False])
async def test_a_return_is_stored_once(
    shop: Shop,
    anyone: httpx.AsyncClient,
    delivered: Sold,
    is_script: bool,
) -> None:
    path = return_path(shop, delivered.order_id)

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
    answer = await anyone.post(return_path(shop, delivered.order_id), data=typed, files=files, headers=SCRIPT)
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
    path = return_path(shop, delivered.order_id)
    both = [anyone.post(path, data=typed, files=files, headers=headers) for _time in range(2)]
    assert [answer.status_code for answer in await asyncio.gather(*both)] == [200, 200]
    assert await returns(shop) == 1


async def send_form(
    shop: Shop, client: httpx.AsyncClient, order_id: str, typed: dict[str, Any], *pictures: bytes
) -> str:
    """Send a form as a browser without scripts does, under the id `FIRST`. Return its result."""
    path = return_path(shop, order_id)
    files = [("pictures", ("a.png", content)) for content in pictures] or [("pictures", ("", b""))]
    answer = await client.post(f"{path}&press={FIRST}", data=typed, files=files, headers=OWN)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].partition("&said=")[2].partition("#")[0]


@pytest.mark.parametrize(
    "change",
    [{"kind": "withdrawal"}, {"units": 2}, {"reason": "Tampoco gira."}],
    ids=["kind", "units", "reason"],
)
async def test_another_form_of_the_same_page_is_stored_too(
    shop: Shop, anyone: httpx.AsyncClient, three_delivered: Sold, change: dict[str, Any]
) -> None:
    first: dict[str, Any] = {"kind": "warranty", "units": 1, "reason": "No gira."}
    for sent, form in enumerate((first, first | change), 1):
        for _time in range(2):
            result = await send_form(shop, anyone, three_delivered.order_id, three_delivered.asked(**form))
            assert (result, await returns(shop)) == ("asked", sent)


async def test_a_form_with_a_picture_is_another(
    shop: Shop, anyone: httpx.AsyncClient, delivered: Sold
) -> None:
    typed = delivered.asked("warranty", 1, reason="No gira.")
    for sent, pictures in enumerate(([], [png()]), 1):
        for _time in range(2):
            assert await send_form(shop, anyone, delivered.order_id, typed, *pictures) == "asked"
            assert await returns(shop) == sent


async def test_the_same_form_of_another_order_is_stored_too(
    shop: Shop, store: httpx.AsyncClient, anyone: httpx.AsyncClient, paid: Sold, toy: str
) -> None:
    other_id, _session = await at_the_bank(shop, store, toy, units=1)
    await said(shop, (await sessions_of(shop, other_id))[-1].id, ProviderState.CAPTURED)
    typed = {"kind": "not_sent", **ACCOUNT}
    for order_id in (paid.order_id, other_id, paid.order_id, other_id):
        assert await send_form(shop, anyone, order_id, typed) == "asked"
    async with shop.database.read() as session:
        assert set((await session.execute(select(Return.order_id))).scalars()) == {paid.order_id, other_id}
    assert await returns(shop) == 2


async def test_a_repeated_sending_is_no_sending_of_the_limit(
    shop: Shop, anyone: httpx.AsyncClient, delivered: Sold
) -> None:
    typed, order_id = delivered.asked("warranty", 1, reason="No gira."), delivered.order_id
    for _time in range(LIMIT.per_pair - 1):
        assert await send_form(shop, anyone, order_id, {**typed, "kind": ""}) == "check"
    for _time in range(LIMIT.per_pair + 1):
        assert await send_form(shop, anyone, order_id, typed) == "asked"
    assert await send_form(shop, anyone, order_id, {**typed, "reason": "Tampoco gira."}) == "wait"
    assert await returns(shop) == 1


async def test_repeated_sendings_are_read_for_a_bounded_time(
    shop: Shop, anyone: httpx.AsyncClient, delivered: Sold
) -> None:
    typed = delivered.asked("warranty", 2, reason="No gira.")
    for _time in range(RESEND_LIMIT.per_pair + 1):
        assert await send_form(shop, anyone, delivered.order_id, typed) == "asked"
    async with stalled([anyone], f"{return_path(shop, delivered.order_id)}&press={FIRST}", OWN) as [form]:
        assert not form.read.is_set()
        assert "&said=wait" in (await form.answer).headers["location"]


async def test_an_id_alone_has_nothing_read(
    shop: Shop, store: httpx.AsyncClient, anyone: httpx.AsyncClient, toy: str
) -> None:
    order_id, _session = await at_the_bank(shop, store, toy)
    path = f"{return_path(shop, order_id)}&press={FIRST}"
    async with stalled([anyone], path, OWN) as [form]:
        assert not form.read.is_set()
        assert "&said=late" in (await form.answer).headers["location"]
