"""The office's content on the shop's pages: validation, versions, and what is visible."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import date, timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from backend.audit import AuditEntry
from backend.catalog.categories import assign_to_category, create_category
from backend.catalog.models import Collection, Product, Variant
from backend.content.areas import (
    DEFAULT_SECTIONS,
    Area,
    BannerBody,
    Body,
    HomeBody,
    SectionKind,
    Slide,
    parse_body,
)
from backend.content.current_content import (
    CurrentContent,
    VisibleContent,
    read_visible_content,
    select_visible_content,
)
from backend.content.home import HomePage, read_home_page
from backend.content.links import find_link_problem
from backend.content.schedule import TURN, ContentTurns, find_next_turn
from backend.content.versions import (
    SavedContent,
    list_content_versions,
    read_current_version,
    restore_content,
    save_content,
)
from backend.core.caching.version_probe import VersionProbe
from backend.core.config.settings import Settings
from backend.core.dates import day_begin, today_in_colombia
from backend.core.db.database import Database, database_now
from backend.core.errors import Conflict, Forbidden, InvalidData, NotFound
from backend.inventory.models import InventoryLevel
from backend.jobs import JobRun
from backend.jobs.models import Job
from backend.media.picture_widths import build_uploaded_picture
from backend.staff.rights import COMMAND_LINE, Actor, Role
from tests.store_defaults import add_product, set_up_defaults

PICTURE = build_uploaded_picture("0123456789abcdef", 960, 640).url
ANNOUNCED = {"text": "Envío gratis", "link": "/catalog"}
AddProduct = Callable[..., Awaitable[str]]


@pytest.fixture
async def make_product(database: Database, settings: Settings) -> AddProduct:
    """Return a function that adds a product to the catalogue and returns its id."""
    defaults = await set_up_defaults(database, settings)

    async def put(handle: str, **said: Any) -> str:
        async with database.transaction() as session:
            variant = await add_product(session, defaults, handle, **said)
            return (await session.get_one(Variant, variant)).product_id

    return put


async def save(database: Database, area: Area, body: dict[str, Any], seen: int = 0) -> SavedContent:
    async with database.transaction() as session:
        return await save_content(session, COMMAND_LINE, area, parse_body(area, body), seen=seen)


async def read_home(database: Database) -> HomePage:
    async with database.read() as session:
        return await read_home_page(session, await read_visible_content(session))


def banner(*slides: dict[str, Any]) -> dict[str, Any]:
    return {"slides": [*slides]}


def picture_slide(**said: Any) -> dict[str, Any]:
    return {"kind": "picture", "picture": PICTURE, "title": "Navidad", "link": "/gift", **said}


@pytest.mark.parametrize("link", ["/", "/catalog?sale=1", "/product/oso", "https://otro.example/a?b=c#d"])
def test_link_to_the_shop_or_an_https_site_is_valid(link: str) -> None:
    assert find_link_problem(link) == ""


@pytest.mark.parametrize(
    "link",
    [
        "", "javascript:alert(1)", " javascript:alert(1)", "JaVaScRiPt:alert(1)", "//otro.example", "/\\otro.example",
        "/a\nb", "/a\tb", "http://otro.example", "https://", "https://ana@otro.example", "https://[",
        "data:text/html,x", "catalog", "mailto:ana@otro.example", f"/{'a' * 500}",
    ],
)  # fmt: skip
def test_link_that_is_neither_in_the_shop_nor_https_is_refused(link: str) -> None:
    assert find_link_problem(link)


REFUSED: list[tuple[Area, dict[str, Any], str]] = [
    (Area.BANNER, banner({"kind": "product", "product_id": "prod_none"}), "slides.0.product_id"),
    (Area.BANNER, banner(picture_slide(), picture_slide(link="javascript:alert(1)")), "slides.1.link"),
    (Area.BANNER, banner(picture_slide(link="")), "slides.0.link"),
    (Area.BANNER, banner(picture_slide(title="")), "slides.0.title"),
    (Area.BANNER, banner(picture_slide(picture="/pictures/../x.webp")), "slides.0.picture"),
    (Area.BANNER, banner(picture_slide(picture="https://otro.example/a.jpg")), "slides.0.picture"),
    (Area.BANNER, banner(picture_slide(text="x" * 201)), "slides.0.text"),
    (Area.BANNER, banner(picture_slide(starts="2026-12-02", ends="2026-12-01")), "slides.0.ends"),
    (Area.BANNER, banner(picture_slide(starts="mañana")), "slides.0.starts"),
    (Area.BANNER, banner(picture_slide(price=1)), "slides.0.price"),
    (Area.BANNER, banner({"kind": "film"}), "slides.0.kind"),
    (Area.BANNER, banner(*([picture_slide()] * 13)), "slides"),
    (Area.ANNOUNCEMENT, {"text": "Hola", "link": "//otro.example"}, "link"),
    (Area.ANNOUNCEMENT, {"text": "", "link": "/"}, "text"),
    (Area.HOME, {"sections": [{"kind": "new"}]}, "sections"),
    (Area.HOME, {"sections": [{"kind": "new"}, {"kind": "new"}, {"kind": "sale"}, {"kind": "ages"}]}, "sections"),
    (Area.FOOTER, {"title": "Más", "lines": [{"text": "", "link": "/"}]}, "lines.0.text"),
    (Area.FOOTER, {"title": "", "lines": [{"text": "Blog"}]}, "title"),
]  # fmt: skip


async def test_invalid_content_is_reported_by_field(database: Database) -> None:
    for area, body, field in REFUSED:
        with pytest.raises(InvalidData) as refused:
            await save(database, area, body)
        assert set(refused.value.fields) == {field}
    async with database.read() as session:
        assert {(await read_current_version(session, area)).version for area in Area} == {0}


async def test_invalid_editorial_section_is_reported_by_field(database: Database) -> None:
    own = [{"kind": kind} for kind in ("departments", "new", "sale", "ages")]
    written = {"kind": "editorial", "title": "", "link": "x", "product_ids": ["prod_no"], "category_id": "no"}
    with pytest.raises(InvalidData) as refused:
        await save(database, Area.HOME, {"sections": [*own, written]})
    assert set(refused.value.fields) == {
        f"sections.4.{name}" for name in ("title", "link", "label", "product_ids", "category_id")
    }


async def test_save_or_restore_adds_a_version_only_if_the_content_changes(database: Database) -> None:
    first = await save(database, Area.ANNOUNCEMENT, ANNOUNCED)
    assert (await save(database, Area.ANNOUNCEMENT, ANNOUNCED, 1)).version == 1, "nothing changed"
    second = await save(database, Area.ANNOUNCEMENT, {"text": " Cerramos \n el lunes "}, 1)
    async with database.transaction() as session:
        third = await restore_content(session, COMMAND_LINE, Area.ANNOUNCEMENT, 1, seen=2)
    async with database.transaction() as session:
        nothing = await restore_content(session, COMMAND_LINE, Area.ANNOUNCEMENT, 0, seen=3)
    assert (second.body.text, third.body, nothing.version) == ("Cerramos el lunes", first.body, 4)  # type: ignore[union-attr]
    async with database.read() as session:
        versions = await list_content_versions(session, Area.ANNOUNCEMENT)
        assert [one.version for one in versions] == [4, 3, 2, 1, 0]
        assert await read_visible_content(session) == VisibleContent()


async def test_only_one_of_four_concurrent_saves_of_content_is_accepted(database: Database) -> None:
    told = [{"text": f"Aviso {number}"} for number in range(4)]
    done = await asyncio.gather(
        *(save(database, Area.ANNOUNCEMENT, body) for body in told), return_exceptions=True
    )
    assert sorted(type(one).__name__ for one in done) == ["Conflict"] * 3 + ["SavedContent"]
    with pytest.raises(Conflict):
        async with database.transaction() as session:
            await restore_content(session, COMMAND_LINE, Area.ANNOUNCEMENT, 0, seen=0)


@pytest.mark.parametrize("role", [Role.STOCKROOM, Role.ACCOUNTANT])
async def test_stockroom_and_accountant_roles_cannot_change_content(database: Database, role: Role) -> None:
    body: Body = parse_body(Area.ANNOUNCEMENT, ANNOUNCED)
    async with database.transaction() as session:
        with pytest.raises(Forbidden):
            await save_content(session, Actor("x", role), Area.ANNOUNCEMENT, body, seen=0)
        with pytest.raises(Forbidden):
            await restore_content(session, Actor("x", role), Area.ANNOUNCEMENT, 0, seen=0)
        with pytest.raises(NotFound):
            await restore_content(session, COMMAND_LINE, Area.ANNOUNCEMENT, 7, seen=0)


async def test_banner_with_only_a_picture_slide_also_has_the_default_product_slides(
    database: Database, make_product: AddProduct
) -> None:
    assert (await read_home(database)).is_bare
    await save(database, Area.BANNER, banner(picture_slide()))
    bare = await read_home(database)
    assert ([slide.title for slide in bare.slides], bare.is_bare) == (["Navidad"], True), (
        "beside the static slide"
    )
    await make_product("trompo", featured=True)
    await make_product("oso")
    both = await read_home(database)
    assert ([slide.handle for slide in both.slides], both.is_bare) == (["", "trompo"], False)


async def test_product_slide_replaces_the_default_slides_while_its_product_is_available(
    database: Database, make_product: AddProduct
) -> None:
    await make_product("trompo", featured=True)
    oso = await make_product("oso", title="Oso", price=8_000)
    async with database.transaction() as session:
        await session.execute(
            update(Variant).where(Variant.product_id == oso).values(compare_at_price=10_000)
        )
    none = await make_product("cocina", stock=0)
    hidden = await make_product("borrador", status="draft")
    slides = [{"kind": "product", "product_id": one} for one in (none, hidden)]
    await save(database, Area.BANNER, banner(*slides))
    assert [slide.handle for slide in (await read_home(database)).slides] == ["trompo"]
    own = {"kind": "product", "product_id": oso, "text": "El que todos piden", "link": "/brand/oso"}
    await save(database, Area.BANNER, banner(*slides, picture_slide(), own), 1)
    page = await read_home(database)
    assert [slide.handle for slide in page.slides] == ["", "oso"]
    shown = page.slides[1]
    assert (shown.title, shown.subtitle, shown.href, shown.percent_off) == (
        "Oso", "El que todos piden", "/brand/oso", 20,
    )  # fmt: skip
    assert shown.price_label
    async with database.transaction() as session:
        await session.execute(
            update(InventoryLevel)
            .values(stocked=0)
            .where(InventoryLevel.variant_id.in_(select(Variant.id).where(Variant.product_id == oso)))
        )
    assert [slide.handle for slide in (await read_home(database)).slides] == ["", "trompo"]


async def test_home_sections_have_the_sequence_and_products_set_in_the_office(
    database: Database, make_product: AddProduct
) -> None:
    oso, yoyo = await make_product("oso"), await make_product("yoyo")
    hidden = await make_product("borrador", status="draft")
    written = {
        "kind": "editorial",
        "title": "Para la playa",
        "text": "Uno\n\nDos",
        "product_ids": [yoyo, hidden, oso],
    }
    own = [{"kind": kind} for kind in ("new", "sale", "departments", "ages")]
    await save(database, Area.HOME, {"sections": [own[0], written, *own[1:]]})
    sections = (await read_home(database)).sections
    assert [one.kind for one in sections] == ["new", "editorial", "sale", "departments", "ages"]
    assert (sections[1].paragraphs, [card.handle for card in sections[1].cards]) == (
        ["Uno", "Dos"],
        ["yoyo", "oso"],
    )
    await save(database, Area.HOME, {"sections": [{"kind": kind} for kind in list(SectionKind)[:4]]}, 1)
    sections = (await read_home(database)).sections
    assert [one.kind for one in sections] == ["departments", "new", "sale", "ages"]
    async with database.read() as session:
        assert (await read_visible_content(session)).sections == (), "the shop's own order says nothing"


async def test_sale_section_without_chosen_products_is_empty_if_all_are_shown_as_new(
    database: Database, make_product: AddProduct
) -> None:
    oso = await make_product("oso", compare_at_price=90_000)
    page = await read_home(database)
    assert ([card.id for card in page.new_or_featured], page.on_sale) == ([oso], [])
    others = [{"kind": kind} for kind in ("departments", "new", "ages")]
    await save(database, Area.HOME, {"sections": [{"kind": "sale", "product_ids": [oso]}, *others]})
    assert [card.id for card in (await read_home(database)).on_sale] == [oso]


async def test_built_in_home_sections_are_renamed_hidden_and_filled(
    database: Database, make_product: AddProduct
) -> None:
    oso, _yoyo = await make_product("oso"), await make_product("yoyo")
    async with database.transaction() as session:
        collection = Collection(
            title="Clásicos", handle="clasicos", description="De siempre.", picture=PICTURE
        )
        session.add(collection)
        await session.flush()
        await session.execute(update(Product).where(Product.id == oso).values(collection_id=collection.id))
    new = {"kind": "new", "title": "Novedades", "collection_id": collection.id}
    sale = {"kind": "sale", "product_ids": [oso]}
    hidden = [{"kind": kind, "is_hidden": True} for kind in ("departments", "ages")]
    await save(database, Area.HOME, {"sections": [sale, *hidden, new]})
    page = await read_home(database)
    assert [(one.kind, one.title) for one in page.sections] == [
        ("sale", "Con descuento, mientras haya"),
        ("new", "Novedades"),
    ]
    assert [[card.handle for card in cards] for cards in (page.on_sale, page.new_or_featured)] == [
        ["oso"],
        ["oso"],
    ]
    assert [one.more for one in page.sections] == ["", "/collection/clasicos"]
    written = {"kind": "editorial", "title": "Lo clásico", "collection_id": collection.id}
    await save(database, Area.HOME, {"sections": [written, new, sale, *hidden]}, 1)
    shown = (await read_home(database)).sections[0]
    assert shown.picture
    assert (shown.paragraphs, [card.handle for card in shown.cards]) == (["De siempre."], ["oso"])
    assert (shown.more, shown.href) == ("/collection/clasicos", "")
    async with database.transaction() as session:
        (await session.get_one(Collection, collection.id)).is_active = False
    page = await read_home(database)
    shown = page.sections[0]
    assert (shown.paragraphs, shown.picture, shown.cards) == ([], None, [])
    assert [one.more for one in page.sections] == ["", "", ""]
    for field, value in (("collection_id", "pcol_gone"), ("title", "x" * 81)):
        with pytest.raises(InvalidData) as refused:
            await save(database, Area.HOME, {"sections": [{**new, field: value}, sale, *hidden]}, 2)
        assert set(refused.value.fields) == {f"sections.0.{field}"}
    async with database.read() as session:
        entries = (await session.execute(select(AuditEntry).order_by(AuditEntry.id))).scalars().all()
    assert [(one.action, one.subject_type, one.subject_id) for one in entries] == 2 * [
        ("changed", "content", Area.HOME)
    ]
    assert "body" in {change["field"] for change in entries[0].changes}


async def test_section_shows_the_products_of_a_category_and_of_those_below(
    database: Database, make_product: AddProduct
) -> None:
    oso, _yoyo = await make_product("oso"), await make_product("yoyo")
    async with database.transaction() as session:
        wood = await create_category(session, COMMAND_LINE, name="Madera")
        bears = await create_category(session, COMMAND_LINE, name="Osos", parent_id=wood.id)
        await assign_to_category(session, COMMAND_LINE, bears.id, [oso], [])
    written = {"kind": "editorial", "title": "De madera", "category_id": wood.id}
    shop_filled = [{"kind": kind} for kind in DEFAULT_SECTIONS]
    await save(database, Area.HOME, {"sections": [written, *shop_filled]})
    shown = (await read_home(database)).sections[0]
    assert ([card.handle for card in shown.cards], shown.more) == (["oso"], "/catalog?category=madera")


def test_content_is_shown_and_hidden_at_midnight_in_colombia() -> None:
    first, last = date(2026, 12, 1), date(2026, 12, 3)
    body = BannerBody(slides=[Slide(kind="picture", title="a", starts=first, ends=last)])  # type: ignore[arg-type]
    bodies: dict[Area, Body] = {Area.BANNER: body}
    days = [first + timedelta(days=days) for days in (-1, 0, 2, 3)]
    assert [len(select_visible_content(bodies, day).slides) for day in days] == [0, 1, 1, 0]
    begins, ends = day_begin(first), day_begin(date(2026, 12, 4))
    assert find_next_turn(body, begins - timedelta(seconds=1)) == begins
    assert find_next_turn(body, begins) == ends
    assert find_next_turn(body, ends) is None
    assert find_next_turn(HomeBody(), begins) is None


async def test_job_refreshes_cached_pages_when_scheduled_content_begins(database: Database) -> None:
    probe = VersionProbe(database)
    current = CurrentContent(database, probe)
    async with database.read() as session:
        moment = await database_now(session)
    today = today_in_colombia(moment)
    ends, starts = today.isoformat(), (today + timedelta(days=2)).isoformat()
    await save(database, Area.BANNER, banner(picture_slide(ends=ends), picture_slide(starts=starts)))
    assert len((await current.read_current()).slides) == 1
    async with database.read() as session:
        due = (
            await session.execute(select(Job.run_at).where(Job.kind == TURN, Job.key == "banner"))
        ).scalar_one()
    assert abs(due - day_begin(today + timedelta(days=1))) < timedelta(seconds=30)
    before = await probe.read_version()
    again = await ContentTurns(database).turn(JobRun(1, TURN, "banner", {}, 1))
    assert (await probe.read_version()).catalog != before.catalog, "stored pages are made anew"
    assert again is not None
    assert abs(moment + again.after - day_begin(today + timedelta(days=1))) < timedelta(seconds=30)
    await probe.close()


async def test_admin_api_changes_content(admin: httpx.AsyncClient, anyone: httpx.AsyncClient) -> None:
    assert (await anyone.get("/admin/content")).status_code == 401
    listed = (await admin.get("/admin/content")).json()["content"]
    assert [(one["area"], one["version"]) for one in listed] == [(str(area), 0) for area in Area]
    told = {"version": 0, "body": ANNOUNCED}
    saved = await admin.post("/admin/content/announcement", json=told)
    assert (saved.status_code, saved.json()["content"]["version"]) == (200, 1), saved.text
    assert (
        await admin.post("/admin/content/announcement", json={**told, "body": {"text": "Otro"}})
    ).status_code == 409
    bad = await admin.post(
        "/admin/content/announcement", json={"version": 1, "body": {"link": "javascript:x"}}
    )
    assert bad.status_code == 400
    assert (await admin.get("/admin/content/nada")).status_code == 404
    assert (await admin.get("/admin/content/announcement/versions/9")).status_code == 404
    back = await admin.post("/admin/content/announcement/restore", json={"version": 0, "seen": 1})
    assert back.json()["content"]["body"]["text"] == ""
    versions = (await admin.get("/admin/content/announcement/versions")).json()["content"]
    assert [one["version"] for one in versions] == [2, 1, 0]
    assert (await admin.get("/admin/content/announcement/versions/1")).json()["content"]["body"][
        "text"
    ] == "Envío gratis"
