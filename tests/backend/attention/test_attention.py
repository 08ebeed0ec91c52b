"""Attention: rows are listed, mailed and resolved once (backend.attention)."""

import asyncio
from datetime import timedelta

import httpx
import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.attention import AttentionKind, raise_attention
from backend.attention.kinds import RULES, Action
from backend.attention.models import Attention
from backend.attention.service import AttentionService, Decision, Resolver
from backend.core.db.database import database_now, db_now
from backend.core.errors import Conflict
from backend.jobs.models import Job
from backend.jobs.worker import PROCESS_ENDED
from backend.mail.messages import compose_message
from backend.mail.models import Mail
from backend.mail.rendering import MailRenderer
from backend.staff.models import Staff
from backend.staff.rights import COMMAND_LINE, Actor, Role
from tests.backend.attention.conftest import Raise
from tests.store_steps import get, post

K = AttentionKind


def test_every_kind_of_attention_has_rules() -> None:
    assert set(RULES) == set(AttentionKind)
    for rules in RULES.values():
        assert rules.recommended in rules.actions
        assert Action.DISMISSED in rules.actions
        assert rules.within > timedelta(0)


async def test_attention_rows_are_listed_with_all_fields(admin: httpx.AsyncClient, raised: Raise) -> None:
    attention_id = await raised(
        K.PAID_TWICE, amount=33_528, order_id="order_1", payment_session_id="payses_1"
    )
    listing = await get(admin, "/admin/attention")
    assert (listing["count"], listing["offset"], listing["limit"]) == (1, 0, 50)
    (row,) = listing["attention"]
    assert row == (await get(admin, f"/admin/attention/{attention_id}"))["attention"]
    assert {name: row[name] for name in ("kind", "status", "amount", "order_id", "message", "data")} == {
        "kind": "paid_twice",
        "status": "open",
        "amount": 33_528,
        "order_id": "order_1",
        "message": "Something happened",
        "data": {},
    }
    assert (row["recommended_action"], row["actions"]) == ("refunded", ["honor", "refunded", "dismissed"])
    assert row["due_at"] > row["created_at"]
    assert row["title"] == "Pagaron dos veces la misma compra"
    assert (row["resolved_at"], row["resolved_by"], row["resolution"]) == (None, None, None)


async def test_list_of_attention_is_filtered_and_paged(admin: httpx.AsyncClient, raised: Raise) -> None:
    doubt = await raised(K.LABEL_IN_DOUBT, "ful_1", order_id="order_1")
    late = await raised(K.APPROVED_LATE, "payses_1", order_id="order_1")
    done = await raised(K.APPROVED_LATE, "payses_2", order_id="order_2")
    await post(admin, f"/admin/attention/{done}/resolve", {"action": "dismissed", "note": "checked"})

    async def ids(**query: object) -> list[str]:
        return [row["id"] for row in (await get(admin, "/admin/attention", **query))["attention"]]

    assert await ids() == [doubt, late, done]  # a label is more urgent; resolved rows come at the end
    assert await ids(status="open") == [doubt, late]
    assert await ids(status="resolved") == [done]
    assert await ids(kind="approved_late") == [late, done]
    assert await ids(order_id="order_2") == [done]
    assert await ids(limit=1, offset=1) == [late]
    assert await ids(order="-created_at") == [done, late, doubt]
    assert (await admin.get("/admin/attention", params={"status": "lost"})).status_code == 400


async def test_reading_and_resolving_attention_require_a_staff_sign_in(
    anyone: httpx.AsyncClient, raised: Raise
) -> None:
    attention_id = await raised(K.APPROVED_LATE)
    assert (await anyone.get("/admin/attention")).status_code == 401
    assert (await anyone.get(f"/admin/attention/{attention_id}")).status_code == 401
    body = {"action": "dismissed", "note": "no"}
    assert (await anyone.post(f"/admin/attention/{attention_id}/resolve", json=body)).status_code == 401


async def test_resolved_row_stores_the_note_and_the_staff_member(
    admin: httpx.AsyncClient, raised: Raise, shop: Shop
) -> None:
    attention_id = await raised(K.PAYMENT_UNRESOLVED)
    body = {"action": "dismissed", "note": "The gateway's service says that nothing came"}
    row = (await post(admin, f"/admin/attention/{attention_id}/resolve", body))["attention"]
    assert (row["status"], row["resolution"], row["note"]) == ("resolved", "dismissed", body["note"])
    assert row["resolved_by"] == await find_staff_id(shop)
    assert row["resolved_at"] >= row["created_at"]
    again = await admin.post(f"/admin/attention/{attention_id}/resolve", json=body)
    assert (again.status_code, again.json()["type"]) == (409, "conflict")


@pytest.mark.parametrize(
    ("kind", "body", "says"),
    [
        (
            K.LABEL_IN_DOUBT,
            {"action": "refunded", "reference": "1"},
            "label_in_doubt allows honor, dismissed",
        ),
        (K.JOB_FAILED, {"action": "refunded", "reference": "1"}, "job_failed allows honor, dismissed"),
        (K.PAID_TWICE, {"action": "refunded"}, "refunded needs `reference`"),
        (K.PAID_TWICE, {"action": "dismissed"}, "dismissed needs `note`"),
        (K.PAID_TWICE, {"action": "dismissed", "note": ""}, ""),
        (K.PAID_TWICE, {"action": "forget"}, ""),
        (K.PAID_TWICE, {}, ""),
    ],
)
async def test_disallowed_action_is_refused_and_the_row_stays_open(
    *, admin: httpx.AsyncClient, raised: Raise, kind: K, body: dict[str, str], says: str
) -> None:
    attention_id = await raised(kind, "1")
    refused = await admin.post(f"/admin/attention/{attention_id}/resolve", json=body)
    assert (refused.status_code, refused.json()["type"]) == (400, "invalid_data")
    assert says in refused.json()["message"]
    assert (await get(admin, f"/admin/attention/{attention_id}"))["attention"]["status"] == "open"


async def test_unknown_attention_row_returns_404(admin: httpx.AsyncClient) -> None:
    assert (await admin.get("/admin/attention/attn_nosuch")).status_code == 404
    body = {"action": "dismissed", "note": "no"}
    assert (await admin.post("/admin/attention/attn_nosuch/resolve", json=body)).status_code == 404


async def find_staff_id(shop: Shop) -> str:
    async with shop.database.read() as session:
        return str((await session.execute(select(Staff.id))).scalar_one())


class CountingResolver(Resolver):
    """A resolver that counts its calls of `apply`. During its first `prepare`, `rival` resolves the same row."""

    def __init__(self) -> None:
        self.applied = 0
        self.rival: AttentionService | None = None

    async def prepare(self, row: Attention, decision: Decision) -> None:
        rival, self.rival = self.rival, None
        if rival is not None:
            await rival.resolve(row.id, decision)

    async def apply(self, session: object, row: Attention, decision: Decision) -> None:
        self.applied += 1


async def test_slower_of_two_concurrent_decisions_is_refused(shop: Shop, raised: Raise) -> None:
    attention_id = await raised(K.APPROVED_LATE)
    resolver = CountingResolver()
    service = AttentionService(shop.database, {K.APPROVED_LATE: resolver})
    resolver.rival = service
    with pytest.raises(Conflict):
        await service.resolve(attention_id, Decision(Action.HONOR, COMMAND_LINE))
    assert resolver.applied == 1


async def test_only_one_of_six_concurrent_decisions_resolves_the_row(shop: Shop, raised: Raise) -> None:
    attention_id = await raised(K.APPROVED_LATE)
    resolver = CountingResolver()
    service = AttentionService(shop.database, {K.APPROVED_LATE: resolver})
    done = await asyncio.gather(
        *(
            service.resolve(attention_id, Decision(Action.HONOR, Actor(f"user_{n}", Role.OWNER)))
            for n in range(6)
        ),
        return_exceptions=True,
    )
    assert [type(each) for each in done].count(Conflict) == 5
    assert resolver.applied == 1


async def test_attention_can_be_raised_again_after_its_row_was_resolved(
    shop: Shop, raised: Raise, admin: httpx.AsyncClient
) -> None:
    first = await raised(K.APPROVED_LATE)
    assert await raised(K.APPROVED_LATE) == first
    await post(admin, f"/admin/attention/{first}/resolve", {"action": "dismissed", "note": "no"})
    assert await raised(K.APPROVED_LATE) != first


async def test_each_new_attention_row_sends_one_mail_to_the_shop(shop: Shop, raised: Raise) -> None:
    attention_id = await raised(K.PAID_TWICE, amount=33_528, order_id="order_1")
    await raised(K.PAID_TWICE, amount=33_528, order_id="order_1")
    async with shop.database.read() as session:
        (mail,) = (await session.execute(select(Mail))).scalars()
        assert (mail.kind, mail.about) == ("attention", attention_id)
        message = await compose_message(session, shop.settings, mail)
    assert message is not None
    sent = MailRenderer(shop.settings).render(message, shop.settings)
    assert (sent["To"], sent["Subject"]) == (
        "hola@trompo.example",
        "Por resolver: Pagaron dos veces la misma compra",
    )
    body = sent.get_body(("plain",))
    assert body is not None
    text = body.get_content()
    for fact in ("$ 33.528", "Llegaron $ 33.528.", "Resuélvelo antes del", "/oficina/por-resolver"):
        assert fact in text.replace("\u00a0", " ")
    assert not [each for each in (attention_id, "Something happened", "trompo attention") if each in text]


async def test_attention_row_resolved_before_its_mail_is_sent_causes_no_mail(
    shop: Shop, raised: Raise, admin: httpx.AsyncClient
) -> None:
    attention_id = await raised(K.PAID_TWICE)
    await post(admin, f"/admin/attention/{attention_id}/resolve", {"action": "dismissed", "note": "no"})
    async with shop.database.read() as session:
        (mail,) = (await session.execute(select(Mail))).scalars()
        assert await compose_message(session, shop.settings, mail) is None


@pytest.fixture
async def failed_job(shop: Shop) -> int:
    """Create a job that failed permanently, with its attention row, and return the job's id."""
    async with shop.database.transaction() as session:
        job = Job(kind="mail.send", key="mail_1", run_at=db_now(), failed_at=db_now(), failures=9)  # type: ignore[arg-type]
        session.add(job)
        await session.flush()
        assert job.id is not None
        await raise_attention(session, K.JOB_FAILED, subject_id=str(job.id), message="given up")
        return job.id


async def test_accepting_the_attention_row_of_a_failed_job_runs_the_job_again(
    shop: Shop, admin: httpx.AsyncClient, failed_job: int
) -> None:
    (row,) = (await get(admin, "/admin/attention", kind="job_failed"))["attention"]
    await post(admin, f"/admin/attention/{row['id']}/resolve", {"action": "honor"})
    async with shop.database.read() as session:
        job = (await session.execute(select(Job).where(Job.id == failed_job))).scalar_one()
    assert (job.failed_at, job.failures, job.failing_since) == (None, 0, None)


async def test_dismissing_the_attention_of_a_failed_job_deletes_the_job(
    shop: Shop, admin: httpx.AsyncClient, failed_job: int
) -> None:
    (row,) = (await get(admin, "/admin/attention", kind="job_failed"))["attention"]
    await post(admin, f"/admin/attention/{row['id']}/resolve", {"action": "dismissed", "note": "obsolete"})
    async with shop.database.read() as session:
        assert (await session.execute(select(Job).where(Job.id == failed_job))).first() is None


async def test_dismissed_periodic_job_runs_at_its_next_time(shop: Shop, admin: httpx.AsyncClient) -> None:
    async with shop.database.transaction() as session:
        job = Job(kind="tidy", key="", run_at=db_now(), failed_at=db_now(), failures=5, error=PROCESS_ENDED)  # type: ignore[arg-type]
        session.add(job)
        await session.flush()
        await raise_attention(session, K.JOB_FAILED, subject_id=str(job.id), message="given up")
    (row,) = (await get(admin, "/admin/attention", kind="job_failed"))["attention"]
    await post(admin, f"/admin/attention/{row['id']}/resolve", {"action": "dismissed", "note": "known"})

    async with shop.database.read() as session:
        waits = (await session.execute(select(Job).where(Job.kind == "tidy"))).scalar_one()
        pause = waits.run_at - await database_now(session)
    assert (waits.failed_at, waits.failing_since, waits.failures) == (None, None, 0)
    assert timedelta(hours=23) < pause <= timedelta(days=1)


async def test_attention_of_a_job_that_is_no_longer_failed_cannot_be_accepted(
    shop: Shop, admin: httpx.AsyncClient, failed_job: int
) -> None:
    (row,) = (await get(admin, "/admin/attention", kind="job_failed"))["attention"]
    async with shop.database.transaction() as session:
        await session.execute(update(Job).values(failed_at=None))
    refused = await admin.post(f"/admin/attention/{row['id']}/resolve", json={"action": "honor"})
    assert (refused.status_code, refused.json()["type"]) == (400, "invalid_data")
    assert (await get(admin, f"/admin/attention/{row['id']}"))["attention"]["status"] == "open"
