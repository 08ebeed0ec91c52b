"""Known and unknown addresses take the same time, because the same is done for both.

Counted, not timed: how often a password is hashed or verified, which statements the database gets, in which order, and
how many mails are asked for. A clock would tell how busy this machine is.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from sqlalchemy import event, func, select

from backend.app import Shop
from backend.customers import passwords
from backend.customers.models import Customer, Login
from backend.mail.models import Mail
from tests.backend.customers.conftest import ANA, NewBrowser

KNOWN, UNKNOWN, BY_GOOGLE = ANA["email"], "no@example.com", "google@example.com"


@dataclass
class Work:
    """What one request cost."""

    hashed: int = 0
    verified: int = 0
    statements: list[str] = field(default_factory=list)


@pytest.fixture
def work(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Iterator[Work]:
    """Counts from now on; a test starts it anew before each request."""
    work, hasher = Work(), passwords._hasher
    passwords._nobodys()

    class Counting:
        def hash(self, password: str) -> str:
            work.hashed += 1
            return hasher.hash(password)

        def verify(self, kept: str, password: str) -> bool:
            work.verified += 1
            return hasher.verify(kept, password)

    def said(_connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        work.statements.append(statement)

    monkeypatch.setattr(passwords, "_hasher", Counting())
    engine = shop.database.engine.sync_engine
    event.listen(engine, "before_cursor_execute", said)
    yield work
    event.remove(engine, "before_cursor_execute", said)


async def cost(work: Work, browser: httpx.AsyncClient, path: str, body: dict[str, str]) -> tuple[Work, bytes]:
    """What a request costs, and its answer."""
    work.hashed, work.verified, work.statements = 0, 0, []
    answer = await browser.post(path, json=body)
    return Work(work.hashed, work.verified, work.statements), answer.content


@pytest.fixture
async def by_google(shop: Shop) -> None:
    """Somebody who has an account without a password."""
    async with shop.database.transaction() as session:
        person = Customer(email=BY_GOOGLE)
        session.add(person)
        await session.flush()
        session.add(Login(provider="google", subject="77", customer_id=person.id))


@pytest.mark.parametrize("path", ["/auth/account/login", "/auth/customer/emailpass"])
@pytest.mark.usefixtures("ana", "by_google")
async def test_a_login_that_fails(new_browser: NewBrowser, work: Work, path: str) -> None:
    costs = [
        await cost(work, new_browser(), path, {"email": email, "password": "no es esta"})
        for email in (KNOWN, UNKNOWN, BY_GOOGLE)
    ]
    assert costs[0] == costs[1] == costs[2]
    assert (costs[0][0].verified, costs[0][0].hashed) == (1, 0)


@pytest.mark.parametrize(
    ("path", "name"),
    [("/auth/account/forgot", "email"), ("/auth/customer/emailpass/reset-password", "identifier")],
)
@pytest.mark.usefixtures("ana", "by_google")
async def test_a_forgotten_password(
    new_browser: NewBrowser, shop: Shop, work: Work, path: str, name: str
) -> None:
    costs = [await cost(work, new_browser(), path, {name: email}) for email in (KNOWN, UNKNOWN, BY_GOOGLE)]
    assert costs[0] == costs[1] == costs[2]
    assert (costs[0][0].verified, costs[0][0].hashed) == (0, 0)
    async with shop.database.read() as session:
        assert (await session.execute(select(func.count()).select_from(Mail))).scalar_one() == 3


@pytest.mark.parametrize("path", ["/auth/account/register", "/auth/customer/emailpass/register"])
@pytest.mark.usefixtures("ana", "by_google")
async def test_a_registration(new_browser: NewBrowser, work: Work, path: str) -> None:
    """Who registers is signed in at once or told why not, so the answers differ; what takes time is the same."""
    for email in (KNOWN, UNKNOWN, BY_GOOGLE):
        spent, _ = await cost(work, new_browser(), path, {**ANA, "email": email})
        assert (spent.hashed, spent.verified) == (1, 0)


@pytest.mark.usefixtures("ana")
async def test_a_form_that_is_no_good_costs_nothing(new_browser: NewBrowser, work: Work) -> None:
    for email in (KNOWN, UNKNOWN):
        spent, _ = await cost(
            work, new_browser(), "/auth/account/register", {**ANA, "email": email, "password": "x"}
        )
        assert spent == Work()
