"""Forms of returns that are sent again because the response was lost.

| repetition | result |
|---|---|
| with the same id, by header or in the address | one return, both responses lead to it |
| the same, when no return is possible any more | the same; not "too late" |
| concurrent, with the same id | one return |
| with another id | two returns |
| with the same id, and another kind, other units, or a picture | two returns |
| with the same id, for another order | a return of each |
| after the limit of new requests is used up | the response leads to it; a new request has to wait |
| above the limit of repetitions | has to wait, and is not parsed |
| with an id, without a return and without a possible return | not parsed |
| refused, to a script | the reason and no address: the page keeps the input |
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
from tests.backend.orders.paying import list_sessions, place_order_at_bank, report_payment
from tests.backend.returns.steps import ACCOUNT, Sold, deliver_order, pack_units, place_paid_order
from tests.backend.returns.test_routes import png
from tests.backend.stalled import open_stalled_uploads

OWN = {"origin": "http://shop.test"}
SCRIPT = {**OWN, "accept": "application/json"}
FIRST, SECOND = "0f" * 16, "1e" * 16


@pytest.fixture
async def three_delivered(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, variant_id: str
) -> Sold:
    """Return an order of three units that were delivered."""
    order = await place_paid_order(shop, store, admin, variant_id, units=3)
    await pack_units(admin, order, units=3)
    await deliver_order(shop, order)
    return order


async def count_returns(shop: Shop) -> int:
    async with shop.database.read() as session:
        return (await session.execute(select(func.count()).select_from(Return))).scalar_one()


def return_path(shop: Shop, order_id: str) -> str:
    return f"/api/returns?id={order_id}&token={ORDER_LINK.token(shop.settings.signing_key, order_id)}"


@pytest.mark.parametrize("is_script", [True, False])
async def test_repeated_return_form_is_stored_once(
    shop: Shop,
    anyone: httpx.AsyncClient,
    delivered: Sold,
    is_script: bool,
) -> None:
    path = return_path(shop, delivered.order_id)

    async def send(press: str, units: int) -> str:
        typed = delivered.form_fields("warranty", units, reason="No gira.")
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
    assert await count_returns(shop) == 1
    assert [await send(SECOND, 1), await send(SECOND, 1)] == ["asked", "asked"]
    assert await count_returns(shop) == 2
    assert await send("2d" * 16, 1) == "late"  # no return is possible any more


async def test_refused_return_form_is_answered_without_a_redirect(
    shop: Shop,
    anyone: httpx.AsyncClient,
    delivered: Sold,
) -> None:
    typed = delivered.form_fields("warranty", 7, reason="No gira.")
    files = [("pictures", ("", b""))]
    answer = await anyone.post(return_path(shop, delivered.order_id), data=typed, files=files, headers=SCRIPT)
    problems = {f"units-{delivered.line_id}": "Escribe un número de 0 a 2."}
    assert (answer.status_code, answer.json()["fields"]) == (400, problems)
    assert answer.json()["message"].startswith("No se envió")
    assert "next" not in answer.json()
    assert await count_returns(shop) == 0


async def test_return_form_sent_several_times_concurrently_is_stored_once(
    shop: Shop, anyone: httpx.AsyncClient, delivered: Sold
) -> None:
    typed = delivered.form_fields("warranty", 1, reason="No gira.")
    files = [("pictures", ("", b""))]
    headers = {**SCRIPT, "x-press": FIRST}
    path = return_path(shop, delivered.order_id)
    both = [anyone.post(path, data=typed, files=files, headers=headers) for _time in range(2)]
    assert [answer.status_code for answer in await asyncio.gather(*both)] == [200, 200]
    assert await count_returns(shop) == 1


async def send_form(
    shop: Shop, client: httpx.AsyncClient, order_id: str, typed: dict[str, Any], *pictures: bytes
) -> str:
    """Submit a form as a browser without scripts does. Return the parameter `said` of the redirect.

    `FIRST` is the id of the button press.
    """
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
async def test_second_return_form_with_different_content_is_also_stored(
    shop: Shop, anyone: httpx.AsyncClient, three_delivered: Sold, change: dict[str, Any]
) -> None:
    first: dict[str, Any] = {"kind": "warranty", "units": 1, "reason": "No gira."}
    for sent, form in enumerate((first, first | change), 1):
        for _time in range(2):
            result = await send_form(
                shop, anyone, three_delivered.order_id, three_delivered.form_fields(**form)
            )
            assert (result, await count_returns(shop)) == ("asked", sent)


async def test_return_form_sent_again_with_a_picture_is_also_stored(
    shop: Shop, anyone: httpx.AsyncClient, delivered: Sold
) -> None:
    typed = delivered.form_fields("warranty", 1, reason="No gira.")
    for sent, pictures in enumerate(([], [png()]), 1):
        for _time in range(2):
            assert await send_form(shop, anyone, delivered.order_id, typed, *pictures) == "asked"
            assert await count_returns(shop) == sent


async def test_equal_return_form_of_another_order_is_also_stored(
    shop: Shop, store: httpx.AsyncClient, anyone: httpx.AsyncClient, paid: Sold, variant_id: str
) -> None:
    other_id, _session = await place_order_at_bank(shop, store, variant_id, units=1)
    await report_payment(shop, (await list_sessions(shop, other_id))[-1].id, ProviderState.CAPTURED)
    typed = {"kind": "not_sent", **ACCOUNT}
    for order_id in (paid.order_id, other_id, paid.order_id, other_id):
        assert await send_form(shop, anyone, order_id, typed) == "asked"
    async with shop.database.read() as session:
        assert set((await session.execute(select(Return.order_id))).scalars()) == {paid.order_id, other_id}
    assert await count_returns(shop) == 2


async def test_repeated_return_form_does_not_count_towards_the_limit(
    shop: Shop, anyone: httpx.AsyncClient, delivered: Sold
) -> None:
    typed, order_id = delivered.form_fields("warranty", 1, reason="No gira."), delivered.order_id
    for _time in range(LIMIT.per_pair - 1):
        assert await send_form(shop, anyone, order_id, {**typed, "kind": ""}) == "check"
    for _time in range(LIMIT.per_pair + 1):
        assert await send_form(shop, anyone, order_id, typed) == "asked"
    assert await send_form(shop, anyone, order_id, {**typed, "reason": "Tampoco gira."}) == "wait"
    assert await count_returns(shop) == 1


async def test_repeated_return_forms_have_a_separate_limit(
    shop: Shop, anyone: httpx.AsyncClient, delivered: Sold
) -> None:
    typed = delivered.form_fields("warranty", 2, reason="No gira.")
    for _time in range(RESEND_LIMIT.per_pair + 1):
        assert await send_form(shop, anyone, delivered.order_id, typed) == "asked"
    async with open_stalled_uploads(
        [anyone], f"{return_path(shop, delivered.order_id)}&press={FIRST}", OWN
    ) as [form]:
        assert not form.read.is_set()
        assert "&said=wait" in (await form.answer).headers["location"]


async def test_return_form_with_an_unknown_press_id_is_not_parsed_if_no_return_is_possible(
    shop: Shop, store: httpx.AsyncClient, anyone: httpx.AsyncClient, variant_id: str
) -> None:
    order_id, _session = await place_order_at_bank(shop, store, variant_id)
    path = f"{return_path(shop, order_id)}&press={FIRST}"
    async with open_stalled_uploads([anyone], path, OWN) as [form]:
        assert not form.read.is_set()
        assert "&said=late" in (await form.answer).headers["location"]
