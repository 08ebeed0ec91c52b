"""Pictures of an import that lie on hosts which do not answer, or answer late."""

import asyncio
import threading
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

import pytest
from sqlalchemy import select

from backend.core.web.outside_fetch import NotFetched
from backend.imports import import_job
from backend.imports.confirmation import JOB, begin
from backend.imports.import_job import FETCHED_AT_ONCE, ProductImports
from backend.imports.models import ProductImportPicture
from backend.jobs import JobRun, RunAgain
from tests.backend.imports.sender import OWNER, Sender
from tests.backend.imports.test_imports import HEAD, picture

NAMES = [f"http://{host}.example/x.jpg" for host in "abcdef"]
ROWS = [f"Juguete {n};J-{n};1000;1;;{name}\n" for n, name in enumerate(NAMES)]


async def had(sender: Sender) -> dict[str, str]:
    """By address, the problem of each picture that nobody has to fetch any more."""
    query = select(ProductImportPicture.name, ProductImportPicture.problem)
    async with sender.shop.database.read() as session:
        return dict((await session.execute(query.order_by(ProductImportPicture.name))).all())


async def begun(sender: Sender, rows: Sequence[str]) -> ProductImports:
    await sender.sheet(HEAD + "".join(rows))
    await begin(sender.shop.database, OWNER, sender.id)
    return ProductImports(sender.shop.database, sender.shop.uploads)


async def test_a_run_that_takes_long_goes_on_in_the_next_with_what_came(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def fetch(address: str, **_how: object) -> bytes:
        asked.append(address)
        raise NotFetched("does not answer")

    monkeypatch.setattr(import_job, "fetch", fetch)
    monkeypatch.setattr(import_job, "WITHIN", -1.0)
    monkeypatch.setattr(import_job, "FETCHING_WITHIN", -1.0)
    imports = await begun(sender, ROWS)
    run = JobRun(1, JOB, sender.id, {"import_id": sender.id}, 1)
    assert await imports.run(run) == RunAgain(timedelta(0), reset=True)
    assert await had(sender) == dict.fromkeys(NAMES[:FETCHED_AT_ONCE], "not fetched")
    assert (await sender.report()).counts.settled == 0
    while await imports.run(run) is not None:
        pass
    assert await had(sender) == dict.fromkeys(NAMES, "not fetched")
    assert sorted(asked) == NAMES
    done = await sender.report()
    assert (done.status, done.counts.refused) == ("done", 6)


async def test_a_run_that_is_ended_keeps_what_came(sender: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    hangs, gives_up = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def fetch(address: str, **_how: object) -> bytes:
        if "//f." in address:
            loop.call_soon_threadsafe(hangs.set)
            gives_up.wait(60)
        raise NotFetched("does not answer")

    monkeypatch.setattr(import_job, "fetch", fetch)
    imports = await begun(sender, ROWS)
    ended = asyncio.create_task(imports._step(sender.id, Counter()))
    await hangs.wait()
    ended.cancel()
    gives_up.set()
    with pytest.raises(asyncio.CancelledError):
        await ended
    assert len(await had(sender)) == FETCHED_AT_ONCE


async def test_a_host_that_lets_one_wait_three_times_is_not_asked_again(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def fetch(address: str, **_how: object) -> bytes:
        asked.append(address.split("/")[2])
        if "dead" in address:
            raise NotFetched("does not answer")
        return picture()

    monkeypatch.setattr(import_job, "fetch", fetch)
    monkeypatch.setattr(import_job, "SLOW", 0.0)
    monkeypatch.setattr(import_job, "FETCHED_AT_ONCE", 1)
    rows = [
        f"Juguete {host} {n};{host}-{n};1000;1;;http://{host}.example/{n}.jpg\n"
        for host in ("dead", "good")
        for n in range(5)
    ]
    imports = await begun(sender, rows)
    assert await imports._step(sender.id, Counter())
    assert asked == 3 * ["dead.example"] + 5 * ["good.example"]
    assert sorted((await had(sender)).values()) == 5 * [""] + 5 * ["not fetched"]
    assert await sender.count() == 5


async def test_a_host_that_says_at_once_that_there_is_none_is_asked_for_all(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def fetch(address: str, **_how: object) -> bytes:
        asked.append(address)
        raise NotFetched("answers with 404")

    monkeypatch.setattr(import_job, "fetch", fetch)
    rows = [f"Juguete {n};J-{n};1000;1;;http://a.example/{n}.jpg\n" for n in range(9)]
    imports = await begun(sender, rows)
    await imports._step(sender.id, Counter())
    assert len(asked) == 9
