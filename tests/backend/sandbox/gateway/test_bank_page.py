import asyncio
import re
from datetime import timedelta

import httpx
import pytest

from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.payment.providers.pse.reports import GatewayState
from backend.sandbox.gateway import create_sandbox_gateway
from backend.sandbox.gateway.ledger import Ledger
from tests.gateway_kit import PUBLIC_BASE, RETURN, GatewayPractice, age_transactions, bank_payment
from tests.ports import find_free_port

BUTTONS = ("bank-approve", "bank-reject", "bank-cancel", "bank-pending")


async def start(practice: GatewayPractice, **changes: object) -> str:
    return (await practice.client.create_bank_payment(bank_payment(**changes))).redirect_url


async def test_page_shows_the_payment_and_the_decisions(practice: GatewayPractice) -> None:
    url = await start(practice, description="Trompo <b>rojo</b> & azul")
    page = await practice.browser.get(url)
    assert page.status_code == 200
    assert page.text.startswith('<!doctype html>\n<html lang="es-CO">')
    for shown in (
        "Banco de pruebas",
        "no se mueve dinero real",
        "119.000",
        "BANCO UNION COLOMBIANO",
        "TR-1",
        "Comercio de pruebas",
    ):
        assert shown in page.text
    assert "Trompo &lt;b&gt;rojo&lt;/b&gt; &amp; azul" in page.text
    assert [testid for testid in BUTTONS if f'data-testid="{testid}"' in page.text] == list(BUTTONS)
    assert not re.search(r"(src|href)=|url\(|@import", page.text)  # the page needs no other file
    assert page.headers["cache-control"] == "no-store"
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("decision", "state"),
    [
        ("approve", GatewayState.ACCEPTED),
        ("reject", GatewayState.REJECTED),
        ("cancel", GatewayState.CANCELED),
        ("pending", GatewayState.PENDING),
    ],
)
async def test_decision_is_applied_and_redirects_to_the_shop(
    practice: GatewayPractice, decision: str, state: GatewayState
) -> None:
    created = await practice.client.create_bank_payment(bank_payment())
    back = await practice.choose(created.redirect_url, decision)
    assert back.status_code == 303
    carried = httpx.URL(back.headers["location"])
    assert str(carried.copy_remove_param("ref_payco")) == RETURN
    assert re.fullmatch(r"[0-9a-f]{24}", carried.params["ref_payco"])
    assert (await practice.client.get_transaction(created.ticket_id or "")).state is state


async def test_final_transaction_offers_no_decision_and_ignores_another_one(
    practice: GatewayPractice,
) -> None:
    url = await start(practice)
    back = await practice.choose(url, "approve")
    page = await practice.browser.get(url)
    assert "Esta transacción ya terminó" in page.text
    assert "<strong>Aceptada</strong>" in page.text
    assert not any(testid in page.text for testid in BUTTONS)
    assert back.headers["location"].replace("&", "&amp;") in page.text
    # another decision changes nothing and shows the page; the same one redirects to the shop again
    other = await practice.choose(url, "reject")
    assert (other.status_code, other.headers["location"]) == (303, url)
    again = await practice.choose(url, "approve")
    assert again.headers["location"] == back.headers["location"]
    assert await practice.sandbox.notifier.deliver_due() == 1


async def test_only_one_of_several_simultaneous_decisions_is_applied(practice: GatewayPractice) -> None:
    url = await start(practice)
    answers = await asyncio.gather(
        *(practice.choose(url, choice) for choice in ["approve", "reject", "cancel"] * 3)
    )
    assert {answer.status_code for answer in answers} == {303}
    assert await practice.sandbox.notifier.deliver_due() == 1
    state = (
        await practice.client.get_transaction_by_reference((await practice.client.list_references("TR-1"))[0])
    ).state
    assert practice.merchant.received[0][1]["x_cod_transaction_state"] == str(int(state or 0))


async def test_pending_payment_can_be_decided_later(practice: GatewayPractice) -> None:
    url = await start(practice)
    for _ in range(2):  # clicked twice, notified once
        await practice.choose(url, "pending")
    page = await practice.browser.get(url)
    assert "Este pago está pendiente" in page.text
    await practice.choose(url, "approve")
    assert await practice.sandbox.notifier.deliver_due() == 2
    responses = [fields["x_response"] for fields in await practice.merchant.wait_for_notifications(2)]
    assert sorted(responses) == ["Aceptada", "Pendiente"]


@pytest.mark.parametrize("decision", ["", "pay", "approve "])
async def test_unknown_decision_shows_the_page_again(practice: GatewayPractice, decision: str) -> None:
    url = await start(practice)
    page = await practice.choose(url, decision)
    assert page.status_code == 200
    assert "Autoriza tu pago" in page.text


async def test_unknown_url_of_a_bank_page_is_not_found(practice: GatewayPractice) -> None:
    url = f"{PUBLIC_BASE}/bank/{'x' * 32}"
    for page in (await practice.browser.get(url), await practice.choose(url, "approve")):
        assert page.status_code == 404
        assert "No encontramos esta transacción" in page.text


async def test_payment_is_abandoned_after_21_minutes(practice: GatewayPractice, database: Database) -> None:
    created = await practice.client.create_bank_payment(bank_payment())
    await age_transactions(database, timedelta(minutes=21, seconds=1))
    page = await practice.choose(created.redirect_url, "approve")
    assert page.headers["location"] == created.redirect_url
    assert (await practice.client.get_transaction(created.ticket_id or "")).state is GatewayState.ABANDONED
    assert "Se acabó el tiempo" in (await practice.browser.get(created.redirect_url)).text


@pytest.mark.parametrize("look", ["transaction", "page", "sweep"])
async def test_overdue_payment_is_abandoned_on_every_lookup(
    practice: GatewayPractice, database: Database, look: str
) -> None:
    created = await practice.client.create_bank_payment(bank_payment())
    await age_transactions(database, timedelta(minutes=22))
    ledger = Ledger(database, practice.sandbox.faults)
    if look == "transaction":
        assert (
            await practice.client.get_transaction(created.ticket_id or "")
        ).state is GatewayState.ABANDONED
    elif look == "page":
        assert "ya terminó" in (await practice.browser.get(created.redirect_url)).text
    else:
        assert await ledger.abandon_overdue() == 1
    assert await ledger.abandon_overdue() == 0


async def test_urls_of_bank_pages_cannot_be_derived_from_each_other(practice: GatewayPractice) -> None:
    first, second = [await start(practice, invoice=invoice) for invoice in ("TR-1", "TR-2")]
    token_of = [url.rpartition("/")[2] for url in (first, second)]
    assert all(len(token) >= 32 for token in token_of)
    assert token_of[0][:8] != token_of[1][:8]


async def test_bank_page_without_a_database_answers_with_retry_after() -> None:
    nobody = Database(f"postgresql+asyncpg://shop@127.0.0.1:{find_free_port()}/shop")
    async with httpx.AsyncClient() as http:
        gateway = create_sandbox_gateway(Settings(), nobody, http)
        async with httpx.AsyncClient(transport=gateway.transport(), base_url="http://bank") as browser:
            page = await browser.get("/bank/anything")
    assert (page.status_code, page.headers["retry-after"]) == (503, "5")
