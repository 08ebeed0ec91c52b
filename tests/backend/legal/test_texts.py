"""Legal texts: the shop's data in them, their versions, and no scripts."""

import asyncio
from pathlib import Path

import pytest

from backend.core.config.settings import Identity
from backend.core.db.database import Database
from backend.core.errors import Conflict, Forbidden, InvalidData, NotFound
from backend.legal import texts
from backend.legal.texts import (
    MAX_TEXT_LENGTH,
    LegalKind,
    TextVersion,
    all_versions,
    current_text,
    current_texts,
    fill_text,
    list_unreviewed_texts,
    read_version,
    restore_text,
    save_text,
    to_html,
)
from backend.staff.rights import COMMAND_LINE, Actor, Role

TERMS = LegalKind.TERMS
TEMPLATES = Path(texts.__file__).with_name("templates")


async def save_source(
    database: Database, source: str, seen: int, *, is_reviewed: bool = False
) -> TextVersion:
    async with database.transaction() as session:
        return await save_text(session, COMMAND_LINE, TERMS, source, seen=seen, is_reviewed=is_reviewed)


@pytest.mark.parametrize("kind", LegalKind)
def test_template_contains_the_seller_and_no_placeholder(kind: LegalKind) -> None:
    shop = Identity(store_legal_name="Nido *S.A.S.*", store_nit="800.197.268-4", store_address="Calle 1")
    text = fill_text(TextVersion(kind, 1, (TEMPLATES / f"{kind}.md").read_text("utf-8")), shop)
    assert "{" not in text.text
    assert shop.store_email in to_html(text.text)
    if kind is not LegalKind.SHIPPING:
        assert ("Nido *S.A.S.*" in to_html(text.text), "800.197.268-4" in text.text) == (True, True)


async def test_saving_or_restoring_a_legal_text_adds_a_version(database: Database) -> None:
    async with database.read() as session:
        template = await current_text(session, TERMS)
        assert len(await list_unreviewed_texts(session)) == len(LegalKind)
    second = await save_source(database, "Somos {tienda}.\r\n", 1, is_reviewed=True)
    assert (second.version, second.source, second.is_reviewed) == (2, "Somos {tienda}.\n", True)
    assert (await save_source(database, "Somos {tienda}.", 2, is_reviewed=True)).version == 2, (
        "nothing changed"
    )
    async with database.transaction() as session:
        third = await restore_text(session, COMMAND_LINE, TERMS, 1, seen=2)
    assert (third.version, third.source, third.is_reviewed) == (3, template.source, False)
    async with database.read() as session:
        assert [one.version for one in await all_versions(session, TERMS)] == [3, 2, 1]
        assert (await current_texts(session))[TERMS] == third
        assert (await read_version(session, TERMS, 2)).source == second.source
        assert (await current_text(session, LegalKind.DATA)).version == 1
        with pytest.raises(NotFound):
            await read_version(session, TERMS, 4)


async def test_concurrent_saves_do_not_overwrite_a_legal_text(database: Database) -> None:
    done = await asyncio.gather(
        *(save_source(database, f"Texto {n}", 1) for n in range(4)), return_exceptions=True
    )
    assert sorted(type(one).__name__ for one in done) == ["Conflict"] * 3 + ["TextVersion"]
    with pytest.raises(Conflict):
        await save_source(database, "Otro", 1)
    with pytest.raises(Conflict):
        async with database.transaction() as session:
            await restore_text(session, COMMAND_LINE, TERMS, 1, seen=1)


@pytest.mark.parametrize("source", ["", " \n\x00 ", "x" * (MAX_TEXT_LENGTH + 1), "{clave}", "{}"])
async def test_invalid_legal_text_is_refused(database: Database, source: str) -> None:
    with pytest.raises(InvalidData) as refused:
        await save_source(database, source, 1)
    assert list(refused.value.fields) == ["source"]


@pytest.mark.parametrize("role", [Role.SHOP, Role.STOCKROOM, Role.ACCOUNTANT])
async def test_only_roles_with_the_right_may_change_legal_texts(database: Database, role: Role) -> None:
    async with database.transaction() as session:
        with pytest.raises(Forbidden):
            await save_text(session, Actor("x", role), TERMS, "Hola", seen=1, is_reviewed=False)
        with pytest.raises(Forbidden):
            await restore_text(session, Actor("x", role), TERMS, 1, seen=1)


def test_html_of_a_legal_text_contains_no_script() -> None:
    html = to_html(
        "<script>alert(1)</script> [a](javascript:alert(1)) [b](data:text/html,x) ![c](vbscript:x)\n\n"
        '<img src=x onerror=alert(1)>\n\n[d](https://sic.gov.co "<b>")'
    )
    assert "<script" not in html
    assert "<img" not in html
    assert [part.split('"')[0] for part in html.split('href="')[1:]] == ["https://sic.gov.co"]


def test_digest_changes_with_the_values_filled_into_a_legal_text() -> None:
    text = TextVersion(TERMS, 1, "{tienda}")
    before = fill_text(text, Identity(store_name="Uno"))
    assert before.digest == fill_text(text, Identity(store_name="Uno")).digest
    assert before.digest != fill_text(text, Identity(store_name="Dos")).digest
