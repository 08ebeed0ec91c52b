"""A provider contradicts a final state: staff decide, and until then the order is not packed.

| session | provider's report | result |
|---|---|---|
| captured | canceled (reversed), rejected, expired, held | attention, mail, the order is held; nothing is reversed |
| captured | captured, with another amount | the same; the missing amount is the difference |
| captured | captured, pending, authorized, unknown | nothing |
| captured | the same report again, resolved or not | nothing |
| captured | captured again, and then reversed again | attention again |
| rejected, canceled, expired | held, authorized | attention: check the gateway's panel |
| rejected, canceled, expired | another final state without money | nothing |
| ended by staff | held, as before | nothing |
| captured, by a second transaction | that transaction was reversed | attention, the order is held |

| decision about the row | result |
|---|---|
| none yet | no label and no fulfillment, in the office and the Admin API; a new label is not packed |
| `honor`, `dismissed` | it can be packed |
| `refunded`, nothing packed | the refund is booked, the order is cancelled, its units are released |
| `refunded`, packed | the refund is booked; the parcel is not changed |
| `refunded` of a smaller amount | a refund of this part is booked |
"""

from decimal import Decimal
from typing import Any

import httpx
import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app import Shop
from backend.attention.models import Attention
from backend.fulfillment.bulk_fulfillment import send_remaining_units
from backend.mail.messages import compose_message
from backend.mail.models import Mail, MailKind
from backend.office.orders.detail import order_detail
from backend.office.orders.packing import pack_view
from backend.orders.models import Fulfillment
from backend.orders.service import lock_order
from backend.payment.models import Refund
from backend.payment.providers.base import ProviderReport, ProviderState
from backend.payment.second_transactions import check_second_transaction
from backend.payment.transitions import apply_report
from backend.staff.rights import Actor, Role
from tests.backend.orders.paying import (
    list_sessions,
    place_order_at_bank,
    read_open_attention,
    read_order_status,
    read_stock,
    report_amount,
    report_payment,
    resolve,
)
from tests.backend.rivals import run_against_rival
from tests.sold_order import SoldOrder
from tests.store_defaults import Defaults, add_product
from tests.store_steps import get, post

S = ProviderState
OWNER = Actor(id="user_1", role=Role.OWNER, has_second_factor=True)
KIND = "payment_contradicted"
REFUNDED = {"action": "refunded", "reference": "REV-99"}
TOTAL = 80_000


@pytest.fixture
async def trompo(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=5, price=40_000)


@pytest.fixture
def paid(sold_order: SoldOrder) -> tuple[str, str]:
    """Return a paid order of two units, and its payment session."""
    return sold_order.order_id, sold_order.session_id


async def rows(shop: Shop) -> list[Attention]:
    async with shop.database.read() as session:
        return list((await session.execute(select(Attention).order_by(Attention.id))).scalars())


async def kinds(shop: Shop) -> list[str]:
    return [row.kind for row in await rows(shop)]


async def refunds(shop: Shop) -> list[tuple[int, str]]:
    async with shop.database.read() as session:
        found = await session.execute(select(Refund.amount, Refund.reference).order_by(Refund.id))
        return [(amount, reference) for amount, reference in found]


async def fulfill(admin: httpx.AsyncClient, order_id: str) -> httpx.Response:
    order = (await get(admin, f"/admin/orders/{order_id}"))["order"]
    items = [{"id": line["id"], "quantity": line["quantity"]} for line in order["items"]]
    return await admin.post(f"/admin/orders/{order_id}/fulfillments", json={"items": items})


async def labels(shop: Shop) -> list[tuple[str, bool]]:
    """Return the state of each label, and True if its units have left the stock."""
    async with shop.database.read() as session:
        found = (await session.execute(select(Fulfillment))).scalars()
        return [(one.state, "packed_at" in one.data) for one in found]


@pytest.mark.parametrize("state", [S.CANCELED, S.REJECTED, S.EXPIRED, S.HELD])
async def test_bank_report_of_a_reversal_after_capture_raises_attention(
    shop: Shop, paid: tuple[str, str], state: ProviderState
) -> None:
    order_id, session_id = paid
    await report_payment(shop, session_id, state)
    row = await read_open_attention(shop)
    assert (row.kind, row.subject_id, row.order_id, row.amount) == (KIND, session_id, order_id, TOTAL)
    assert row.due_at is not None
    assert row.message.endswith(f"the provider says {state} after it was captured")
    assert await read_order_status(shop, order_id) == ("pending", "captured")
    assert [one.state for one in await list_sessions(shop, order_id)] == ["captured"]
    assert await read_stock(shop) == (5, 2)
    async with shop.database.read() as session:
        mail = (await session.execute(select(Mail).where(Mail.kind == MailKind.ATTENTION))).scalar_one()
        message = await compose_message(session, shop.settings, mail)
    assert message is not None
    assert message.to == shop.settings.store_email
    assert message.values["title"] == "El banco se contradice sobre un pago"


@pytest.mark.parametrize("state", [S.CAPTURED, S.PENDING, S.PENDING_AUTHORIZATION, S.AUTHORIZED, S.UNKNOWN])
async def test_bank_report_that_fits_a_captured_payment_raises_no_attention(
    shop: Shop, paid: tuple[str, str], state: ProviderState
) -> None:
    await report_payment(shop, paid[1], state)
    assert await rows(shop) == []


@pytest.mark.parametrize(
    ("amount", "currency", "missing"),
    [
        ("62000", "COP", 18_000),
        ("79999.5", "COP", 1),
        ("80000.4", "COP", None),
        ("100000", "COP", None),
        ("80000", "USD", None),
    ],
)
async def test_bank_report_of_another_amount_after_capture_raises_attention(
    shop: Shop, paid: tuple[str, str], amount: str, currency: str, missing: int | None
) -> None:
    await report_amount(shop, paid[1], amount, currency)
    row = await read_open_attention(shop)
    assert (row.kind, row.amount) == (KIND, missing)
    assert amount in row.message
    assert await read_order_status(shop, paid[0]) == ("pending", "captured")


async def test_repeated_report_of_the_same_amount_with_cents_raises_no_attention(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    order_id, session_id = await place_order_at_bank(shop, store, trompo)
    await report_amount(shop, session_id, "80000.40")
    assert (await resolve(admin, await read_open_attention(shop), action="honor")).status_code == 200
    assert await read_order_status(shop, order_id) == ("pending", "captured")
    await report_amount(shop, session_id, "80000.4")
    assert await kinds(shop) == ["amount_differs"]
    await report_amount(shop, session_id, "80000")
    assert (await read_open_attention(shop)).kind == KIND


async def test_repeated_bank_report_raises_no_second_attention_until_it_changes(
    shop: Shop, admin: httpx.AsyncClient, paid: tuple[str, str]
) -> None:
    for _ in range(3):
        await report_payment(shop, paid[1], S.CANCELED)
    assert await kinds(shop) == [KIND]
    await resolve(admin, await read_open_attention(shop), action="dismissed", note="the gateway was wrong")
    await report_payment(shop, paid[1], S.CANCELED)
    assert await kinds(shop) == [KIND]
    await report_payment(shop, paid[1], S.CAPTURED)
    await report_payment(shop, paid[1], S.CANCELED)
    assert await kinds(shop) == [KIND, KIND]


@pytest.mark.parametrize("end", [S.REJECTED, S.CANCELED, S.EXPIRED])
@pytest.mark.parametrize(
    ("later", "expected"),
    [
        (S.HELD, ["payment_unresolved"]),
        (S.AUTHORIZED, ["payment_unresolved"]),
        (S.REJECTED, []),
        (S.CANCELED, []),
        (S.EXPIRED, []),
        (S.PENDING, []),
    ],
)
async def test_report_of_possible_money_after_a_failed_payment_raises_attention(  # noqa: PLR0917 (fixtures)
    shop: Shop,
    store: httpx.AsyncClient,
    trompo: str,
    end: ProviderState,
    later: ProviderState,
    expected: list[str],
) -> None:
    order_id, session_id = await place_order_at_bank(shop, store, trompo)
    await report_payment(shop, session_id, end)
    await report_payment(shop, session_id, later)
    assert await kinds(shop) == expected
    assert await read_order_status(shop, order_id) == ("canceled", "canceled")


async def test_held_report_after_staff_dismissed_the_payment_raises_no_attention(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    _order_id, session_id = await place_order_at_bank(shop, store, trompo)
    await report_payment(shop, session_id, S.CAPTURED, TOTAL - 1)
    await resolve(admin, await read_open_attention(shop), action="dismissed", note="it is nobody's")
    await report_payment(shop, session_id, S.HELD)
    assert await kinds(shop) == ["amount_differs"]


async def test_order_with_a_contradicted_payment_cannot_be_packed_until_staff_decide(
    shop: Shop, admin: httpx.AsyncClient, paid: tuple[str, str]
) -> None:
    order_id, session_id = paid
    await report_payment(shop, session_id, S.CANCELED)
    refused = await fulfill(admin, order_id)
    assert (refused.status_code, refused.json()["type"]) == (400, "not_allowed")
    assert "nothing is packed until the attention about it is resolved" in refused.json()["message"]
    outcome = await send_remaining_units(
        shop.database, OWNER, shop.settings, shop.fulfillment_providers, order_id
    )
    assert (outcome.is_done, outcome.waits) == (False, True)
    assert outcome.text == "El pago espera una decisión en Por resolver."
    async with shop.database.read() as session:
        view = await pack_view(session, OWNER, order_id)
        waiting = await pack_view(session, OWNER)
        detail = await order_detail(session, OWNER, order_id, "Trompo")
    assert view.order is not None
    assert (view.order.state, view.waiting, view.held, waiting.order) == ("held", 0, 1, None)
    assert (detail.is_held, "pack" in detail.actions) == (True, False)
    assert await labels(shop) == []
    assert await read_stock(shop) == (5, 2)

    await resolve(admin, await read_open_attention(shop), action="honor")
    async with shop.database.read() as session:
        view = await pack_view(session, OWNER)
    assert (view.waiting, view.held) == (1, 0)
    assert (await fulfill(admin, order_id)).status_code == 200
    assert await labels(shop) == [("created", True)]
    assert await read_stock(shop) == (3, 0)


async def test_label_created_while_its_payment_is_contradicted_is_not_packed(
    shop: Shop, admin: httpx.AsyncClient, paid: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Contradict the payment while the label is created: the label is packed only after staff have decided."""
    order_id, session_id = paid
    provider = shop.fulfillment_providers["manual_manual"]
    make, made = provider.create_fulfillment, []

    async def make_meanwhile(request: Any) -> Any:
        made.append(request.reference)
        await report_payment(shop, session_id, S.CANCELED)
        return await make(request)

    monkeypatch.setattr(provider, "create_fulfillment", make_meanwhile)
    assert (await fulfill(admin, order_id)).status_code == 400
    assert (await labels(shop), await read_stock(shop)) == ([("created", False)], (5, 2))
    assert (await fulfill(admin, order_id)).status_code == 400
    await resolve(admin, await read_open_attention(shop), action="dismissed", note="the money is there")
    assert (await fulfill(admin, order_id)).status_code == 200
    assert (await labels(shop), await read_stock(shop), len(made)) == ([("created", True)], (3, 0), 1)


async def test_contradicting_report_waits_until_a_started_packing_has_ended(
    shop: Shop, admin: httpx.AsyncClient, paid: tuple[str, str]
) -> None:
    order_id, session_id = paid

    async def begin_packing(session: AsyncSession) -> None:
        await lock_order(session, order_id)

    await run_against_rival(
        shop.database, begin_packing, lambda: report_payment(shop, session_id, S.CANCELED)
    )
    assert (await fulfill(admin, order_id)).status_code == 400


async def test_confirmed_reversal_cancels_an_unpacked_order(
    shop: Shop, admin: httpx.AsyncClient, paid: tuple[str, str]
) -> None:
    order_id, session_id = paid
    await report_payment(shop, session_id, S.CANCELED)
    answer = await resolve(admin, await read_open_attention(shop), **REFUNDED)
    assert answer.status_code == 200, answer.text
    assert await refunds(shop) == [(TOTAL, "REV-99")]
    assert await read_order_status(shop, order_id) == ("canceled", "refunded")
    assert await read_stock(shop) == (5, 0)
    async with shop.database.read() as session:
        mail = (await session.execute(select(Mail).where(Mail.kind == MailKind.REFUNDED))).scalar_one()
        message = await compose_message(session, shop.settings, mail)
    assert message is not None
    assert message.values["is_reversed"] is True


async def test_confirmed_reversal_does_not_cancel_a_packed_order(
    shop: Shop, admin: httpx.AsyncClient, paid: tuple[str, str]
) -> None:
    order_id, session_id = paid
    assert (await fulfill(admin, order_id)).status_code == 200
    await report_payment(shop, session_id, S.CANCELED)
    assert (await resolve(admin, await read_open_attention(shop), **REFUNDED)).status_code == 200
    assert await read_order_status(shop, order_id) == ("pending", "refunded")
    assert await labels(shop) == [("created", True)]


async def test_confirmed_lower_amount_books_only_the_missing_part_as_refund(
    shop: Shop, admin: httpx.AsyncClient, paid: tuple[str, str]
) -> None:
    await report_amount(shop, paid[1], "62000")
    assert (await resolve(admin, await read_open_attention(shop), **REFUNDED)).status_code == 200
    assert await refunds(shop) == [(18_000, "REV-99")]
    assert await read_order_status(shop, paid[0]) == ("pending", "partially_refunded")


async def test_reversal_of_an_already_refunded_payment_is_not_booked_again(
    shop: Shop, admin: httpx.AsyncClient, paid: tuple[str, str]
) -> None:
    order_id, session_id = paid
    await report_payment(shop, session_id, S.CANCELED)
    body = {"amount": TOTAL, "reference": "T-1"}
    await post(admin, f"/admin/orders/{order_id}/refunds", body)
    row = await read_open_attention(shop)
    refused = await resolve(admin, row, **REFUNDED)
    assert (refused.status_code, refused.json()["type"]) == (400, "not_allowed")
    assert (await resolve(admin, row, action="dismissed", note="booked by hand")).status_code == 200
    assert await refunds(shop) == [(TOTAL, "T-1")]


async def test_reversal_of_an_approved_second_transaction_raises_attention(
    shop: Shop, store: httpx.AsyncClient, trompo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reject the first payment, approve a second one at the bank, and then reverse that one."""
    order_id, session_id = await place_order_at_bank(shop, store, trompo)
    await report_payment(shop, session_id, S.REJECTED)
    await report_payment(shop, session_id, S.CAPTURED, second=True)
    assert await read_order_status(shop, order_id) == ("pending", "captured")
    first = (await list_sessions(shop, order_id))[0]
    provider = shop.payments.providers["gateway_pse"]

    async def reversed_(_started: object) -> ProviderReport:
        return ProviderReport(state=S.CANCELED, amount=Decimal(TOTAL), currency="COP", invoice=first.invoice)

    monkeypatch.setattr(provider, "status", reversed_)
    await check_second_transaction(shop.database, shop.payments.providers, first, "another")
    assert await rows(shop) == []
    await check_second_transaction(shop.database, shop.payments.providers, first, "ref-2")
    row = await read_open_attention(shop)
    assert (row.kind, row.order_id) == (KIND, order_id)
    assert row.payment_session_id != session_id


async def test_latest_bank_report_determines_the_missing_amount(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    order_id, session_id = await place_order_at_bank(shop, store, trompo)
    await report_payment(shop, session_id, ProviderState.CAPTURED)
    await report_amount(shop, session_id, "62000")
    await report_payment(shop, session_id, ProviderState.CANCELED)
    row = await read_open_attention(shop)
    assert row.amount == TOTAL
    assert (await resolve(admin, row, action="refunded", reference="R-1")).status_code == 200
    assert (await fulfill(admin, order_id)).status_code == 400


async def test_attention_about_a_report_in_another_currency_has_no_missing_amount(
    shop: Shop, store: httpx.AsyncClient, trompo: str
) -> None:
    _order_id, session_id = await place_order_at_bank(shop, store, trompo)
    await report_payment(shop, session_id, ProviderState.CAPTURED)
    await report_amount(shop, session_id, "52", "USD")
    assert (await read_open_attention(shop)).amount in (None, 0)


async def test_reversal_of_a_refunded_second_payment_does_not_stop_packing(
    shop: Shop, store: httpx.AsyncClient, admin: httpx.AsyncClient, trompo: str
) -> None:
    order_id, session_id = await place_order_at_bank(shop, store, trompo)
    await report_payment(shop, session_id, ProviderState.CAPTURED)
    await report_payment(shop, session_id, ProviderState.CAPTURED, second=True)
    given_back = await resolve(admin, await read_open_attention(shop), action="refunded", reference="R-1")
    assert given_back.status_code == 200
    second = next(one for one in await list_sessions(shop, order_id) if one.id != session_id)
    report = ProviderReport(
        state=ProviderState.CANCELED,
        amount=Decimal(TOTAL),
        currency="COP",
        invoice=second.invoice,
        reference="ref-2",
    )
    await apply_report(shop.database, second.id, report)
    assert (await fulfill(admin, order_id)).status_code == 200
