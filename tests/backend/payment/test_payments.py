"""Payments as staff handle them: what cannot be captured or given back, and finding them."""

import httpx
import pytest

from backend.app import Shop
from backend.core.db.database import Database
from backend.core.errors import NotAllowed
from backend.edge.wire import sibling_id
from backend.payment.models import PaymentSession
from backend.payment.payments import capture, refund, refundable
from backend.payment.providers.base import ProviderState
from backend.payment.service import PaymentService
from backend.staff.rights import COMMAND_LINE
from tests.backend.checkout.scripted_bank import ScriptedBank
from tests.backend.payment.conftest import AMOUNT, StartSession
from tests.store_defaults import Defaults, make_toy
from tests.store_steps import bought, get


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


class RefundingBank(ScriptedBank):
    """A bank that would give money back."""

    can_refund = True


def _payment_id(payment: PaymentSession) -> str:
    return sibling_id("pay", payment.id)


async def _state(database: Database, payment: PaymentSession) -> str:
    async with database.read() as session:
        return (await session.get_one(PaymentSession, payment.id)).state


@pytest.mark.parametrize("word", [ProviderState.REJECTED, ProviderState.PENDING, ProviderState.UNKNOWN])
async def test_money_that_the_provider_does_not_give_is_not_captured(
    sqlite: Database, scripted_bank: ScriptedBank, start_session: StartSession, word: ProviderState
) -> None:
    payment = await start_session(state="authorized")
    scripted_bank.states[payment.invoice] = word
    payments = PaymentService(sqlite, {scripted_bank.id: scripted_bank})
    with pytest.raises(NotAllowed, match="was not captured by gateway_pse"):
        await capture(sqlite, COMMAND_LINE, payments, _payment_id(payment))
    assert await _state(sqlite, payment) == "authorized"


async def test_a_payment_whose_provider_the_shop_no_longer_runs_with_is_neither_captured_nor_refunded(
    sqlite: Database, start_session: StartSession
) -> None:
    payment = await start_session(state="authorized")
    payments = PaymentService(sqlite, {})
    for handle in (capture, refund):
        with pytest.raises(NotAllowed, match="does not run with provider gateway_pse"):
            await handle(sqlite, COMMAND_LINE, payments, _payment_id(payment))
    assert await _state(sqlite, payment) == "authorized"


async def test_money_that_was_not_captured_is_not_given_back(
    sqlite: Database, start_session: StartSession
) -> None:
    payment = await start_session(state="authorized")
    bank = RefundingBank()
    with pytest.raises(NotAllowed, match="there is nothing to give back"):
        await refund(sqlite, COMMAND_LINE, PaymentService(sqlite, {bank.id: bank}), _payment_id(payment))


@pytest.mark.parametrize(
    ("state", "captured_amount", "left"),
    [("captured", AMOUNT, AMOUNT), ("captured", None, 0), ("held", AMOUNT, 0), ("authorized", None, 0)],
)
async def test_only_what_was_captured_can_be_refunded(
    sqlite: Database, start_session: StartSession, state: str, captured_amount: int | None, left: int
) -> None:
    payment = await start_session(state=state, captured_amount=captured_amount)
    async with sqlite.read() as session:
        assert await refundable(session, payment) == left


async def test_payments_are_found_by_their_session(
    store: httpx.AsyncClient, admin: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        trompo = await make_toy(session, shop_defaults, "trompo")
    for _ in range(2):
        await bought(store, trompo)
    newest, oldest = (await get(admin, "/admin/payments"))["payments"]
    found = await get(admin, "/admin/payments", payment_session_id=sibling_id("payses", oldest["id"]))
    assert (found["count"], found["payments"]) == (1, [oldest])
    assert newest["id"] != oldest["id"]

    sessions = [sibling_id("payses", one["id"]) for one in (newest, oldest)]
    for asked, payments in (
        ({f"$or[{at}][payment_session_id]": one for at, one in enumerate(sessions)}, [newest, oldest]),
        ({f"$and[{at}][payment_session_id]": one for at, one in enumerate(sessions)}, []),
        ({"$or[0][created_at][$gt]": newest["created_at"], "$or[1][payment_session_id]": "x"}, []),
    ):
        assert (await get(admin, "/admin/payments", **asked))["payments"] == payments, asked
