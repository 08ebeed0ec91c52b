"""Payments for staff: refused captures and refunds, and finding payments."""

import httpx
import pytest

from backend.app import Shop
from backend.core.db.database import Database
from backend.core.errors import NotAllowed
from backend.edge.wire import derive_sibling_id
from backend.payment.models import PaymentSession
from backend.payment.payments import capture, get_refundable_amount, refund
from backend.payment.providers.base import ProviderState
from backend.payment.service import PaymentService
from backend.staff.rights import COMMAND_LINE
from tests.backend.checkout.scripted_bank import ScriptedBank
from tests.backend.payment.conftest import AMOUNT, StartSession
from tests.store_defaults import Defaults, add_product
from tests.store_steps import complete_purchase, get


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


class RefundingBank(ScriptedBank):
    """A bank that can refund money."""

    can_refund = True


def _payment_id(payment: PaymentSession) -> str:
    return derive_sibling_id("pay", payment.id)


async def _state(database: Database, payment: PaymentSession) -> str:
    async with database.read() as session:
        return (await session.get_one(PaymentSession, payment.id)).state


@pytest.mark.parametrize("word", [ProviderState.REJECTED, ProviderState.PENDING, ProviderState.UNKNOWN])
async def test_capture_refused_by_the_provider_raises_an_error(
    sqlite: Database, scripted_bank: ScriptedBank, start_session: StartSession, word: ProviderState
) -> None:
    payment = await start_session(state="authorized")
    scripted_bank.states[payment.invoice] = word
    payments = PaymentService(sqlite, {scripted_bank.id: scripted_bank})
    with pytest.raises(NotAllowed, match="was not captured by gateway_pse"):
        await capture(sqlite, COMMAND_LINE, payments, _payment_id(payment))
    assert await _state(sqlite, payment) == "authorized"


async def test_payment_of_a_removed_provider_is_neither_captured_nor_refunded(
    sqlite: Database, start_session: StartSession
) -> None:
    payment = await start_session(state="authorized")
    payments = PaymentService(sqlite, {})
    for handle in (capture, refund):
        with pytest.raises(NotAllowed, match="does not run with provider gateway_pse"):
            await handle(sqlite, COMMAND_LINE, payments, _payment_id(payment))
    assert await _state(sqlite, payment) == "authorized"


async def test_refund_of_an_authorized_payment_is_refused(
    sqlite: Database, start_session: StartSession
) -> None:
    payment = await start_session(state="authorized")
    bank = RefundingBank()
    with pytest.raises(NotAllowed, match="there is nothing to refund"):
        await refund(sqlite, COMMAND_LINE, PaymentService(sqlite, {bank.id: bank}), _payment_id(payment))


@pytest.mark.parametrize(
    ("state", "captured_amount", "left"),
    [("captured", AMOUNT, AMOUNT), ("captured", None, 0), ("held", AMOUNT, 0), ("authorized", None, 0)],
)
async def test_only_captured_money_can_be_refunded(
    sqlite: Database, start_session: StartSession, state: str, captured_amount: int | None, left: int
) -> None:
    payment = await start_session(state=state, captured_amount=captured_amount)
    async with sqlite.read() as session:
        assert await get_refundable_amount(session, payment) == left


async def test_payments_are_found_by_the_id_of_their_session(
    store: httpx.AsyncClient, admin: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        trompo = await add_product(session, shop_defaults, "trompo")
    for _ in range(2):
        await complete_purchase(store, trompo)
    newest, oldest = (await get(admin, "/admin/payments"))["payments"]
    found = await get(admin, "/admin/payments", payment_session_id=derive_sibling_id("payses", oldest["id"]))
    assert (found["count"], found["payments"]) == (1, [oldest])
    assert newest["id"] != oldest["id"]

    sessions = [derive_sibling_id("payses", one["id"]) for one in (newest, oldest)]
    for asked, payments in (
        ({f"$or[{at}][payment_session_id]": one for at, one in enumerate(sessions)}, [newest, oldest]),
        ({f"$and[{at}][payment_session_id]": one for at, one in enumerate(sessions)}, []),
        ({"$or[0][created_at][$gt]": newest["created_at"], "$or[1][payment_session_id]": "x"}, []),
    ):
        assert (await get(admin, "/admin/payments", **asked))["payments"] == payments, asked
