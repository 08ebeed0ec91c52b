"""The brand screen: live preview, publishing, undo, conflicts and rights."""

from typing import Any

import pytest

from backend.app import Shop
from backend.content.areas import Area, BrandBody
from backend.content.versions import read_current_version, save_content
from backend.office.content.brand_page import FIELDS, complete_address
from backend.staff.rights import COMMAND_LINE, Role
from storefront.office.brand.state import BrandState
from tests.storefront.office.conftest import BrowserFactory
from tests.storefront.office.events import send_event

LOGO = "/pictures/0123456789abcdef/marca-300x100.webp"
COLORS = {"primary": "#0b3d91", "secondary": "#0f5132", "background": "#f0f4ff", "text_color": "#111111"}


async def open_brand(browser_of: BrowserFactory, role: Role = Role.OWNER) -> Any:
    root = await browser_of(role, "/oficina/marca")
    screen: Any = await root.get_state(BrandState)
    await send_event(screen, "load")
    return screen


def brand_form(screen: Any, **typed: str) -> dict[str, str]:
    return {**{name: screen.content.texts[name] for name in FIELDS}, **screen.pictures, **typed}


async def read_brand(shop: Shop) -> tuple[int, BrandBody]:
    async with shop.database.read() as session:
        saved = await read_current_version(session, Area.BRAND)
    assert isinstance(saved.body, BrandBody)
    return saved.version, saved.body


async def test_brand_is_previewed_while_it_is_typed_and_then_published(
    shop: Shop, browser_of: BrowserFactory
) -> None:
    screen = await open_brand(browser_of)
    assert (screen.content.current.is_demo, screen.content.texts["primary"]) == (True, "#b93420")
    await send_event(screen, "use_logo", [LOGO])
    await send_event(screen, "preview_edit", brand_form(screen, **COLORS, headline="Libros"))
    look = screen.preview.brand
    assert (look.logo, look.headline, "--paper:#f0f4ff;" in look.style) == (LOGO, "Libros", True)
    assert await read_brand(shop) == (0, BrandBody())
    await send_event(screen, "publish", brand_form(screen, **COLORS, headline="Libros", instagram="@macondo"))
    profile = "https://www.instagram.com/macondo"
    assert await read_brand(shop) == (
        1,
        BrandBody(logo=LOGO, **COLORS, headline="Libros", instagram=profile),
    )
    assert (screen.announcement.tone, screen.announcement.subject) == ("news", "0")
    assert (screen.preview, screen.content.current.logo) == (None, LOGO)
    await send_event(screen, "remove_picture", "logo")
    await send_event(screen, "publish", brand_form(screen))
    assert (await read_brand(shop))[1].logo == ""
    await send_event(screen, "undo", "1")
    assert ((await read_brand(shop))[1].logo, screen.content.version) == (LOGO, 3)
    await send_event(screen, "show_version", 0)
    assert (screen.preview.brand.logo, screen.preview.version) == ("", 0)
    await send_event(screen, "restore", 0)
    assert await read_brand(shop) == (4, BrandBody())


async def test_default_colors_are_not_stored(shop: Shop, browser_of: BrowserFactory) -> None:
    screen = await open_brand(browser_of)
    await send_event(screen, "publish", brand_form(screen, headline="Libros"))
    assert await read_brand(shop) == (1, BrandBody(headline="Libros"))
    await send_event(screen, "publish", brand_form(screen))
    assert (await read_brand(shop))[0] == 1, "nothing was changed"


async def test_brand_preview_refuses_an_unreadable_color_and_suggests_the_nearest_one(
    shop: Shop, browser_of: BrowserFactory
) -> None:
    screen = await open_brand(browser_of)
    typed = brand_form(screen, **{**COLORS, "primary": "#7fb0ff"}, instagram="javascript:alert(1)")
    await send_event(screen, "preview_edit", typed)
    assert (set(screen.problems), screen.preview) == ({"primary"}, None)
    assert screen.suggestions == {"primary": "#5171a3"}
    await send_event(screen, "publish", typed)
    assert (set(screen.problems), screen.announcement.tone) == ({"primary", "instagram"}, "problem")
    typed["primary"], typed["instagram"] = screen.suggestions["primary"], ""
    await send_event(screen, "publish", typed)
    assert (screen.problems, screen.suggestions) == ({}, {})
    assert (await read_brand(shop))[1].primary == "#5171a3"


async def test_second_publisher_of_the_brand_sees_the_first_version_and_may_replace_it(
    shop: Shop, browser_of: BrowserFactory
) -> None:
    screen = await open_brand(browser_of)
    async with shop.database.transaction() as session:
        await save_content(session, COMMAND_LINE, Area.BRAND, BrandBody(headline="De ella"), seen=0)
    await send_event(screen, "publish", brand_form(screen, headline="Mío"))
    assert (screen.other_version.brand.headline, screen.preview.brand.headline) == ("De ella", "Mío")
    assert (await read_brand(shop))[1].headline == "De ella"
    await send_event(screen, "publish", brand_form(screen, headline="Mío"))
    assert await read_brand(shop) == (2, BrandBody(headline="Mío"))


@pytest.mark.parametrize(
    "urls",
    [[], ["https://otro.example/a.png"], ["/pictures/0123456789abcdef/foto-960x640-960.webp"], [5], "x"],
)
async def test_picture_that_is_no_brand_upload_is_refused(browser_of: BrowserFactory, urls: Any) -> None:
    screen = await open_brand(browser_of)
    for event in ("use_logo", "use_icon"):
        await send_event(screen, event, urls)
    assert screen.pictures == {"logo": "", "icon": ""}
    await send_event(screen, "remove_picture", "headline")
    assert screen.announcement.tone == "problem"


@pytest.mark.parametrize("form", [None, [], {"primary": ["#fff"]}, {"headline": "x" * 501}])
async def test_malformed_brand_form_is_refused(shop: Shop, browser_of: BrowserFactory, form: Any) -> None:
    screen = await open_brand(browser_of)
    for event in ("publish", "preview_edit"):
        await send_event(screen, event, form)
        assert screen.announcement.tone == "problem"
    assert (await read_brand(shop))[0] == 0


@pytest.mark.parametrize("role", [Role.STOCKROOM, Role.ACCOUNTANT])
async def test_role_without_the_right_sees_the_brand_but_cannot_change_it(
    shop: Shop, browser_of: BrowserFactory, role: Role
) -> None:
    screen = await open_brand(browser_of, role)
    assert screen.content.version == 0
    for event, *arguments in (
        ("publish", brand_form(screen, headline="Hola")),
        ("preview_edit", brand_form(screen)),
        ("restore", 0),
        ("undo", "0"),
        ("use_logo", [LOGO]),
    ):
        await send_event(screen, event, *arguments)
        assert screen.announcement.tone == "problem", event
    assert (await read_brand(shop), screen.pictures["logo"]) == ((0, BrandBody()), "")


@pytest.mark.parametrize(
    ("name", "typed", "address"),
    [
        ("instagram", "@macondo", "https://www.instagram.com/macondo"),
        ("tiktok", " @macondo ", "https://www.tiktok.com/@macondo"),
        ("youtube", "youtube.com/@macondo", "https://youtube.com/@macondo"),
        ("x", "https://x.com/macondo", "https://x.com/macondo"),
        ("facebook", "macondo", "https://www.facebook.com/macondo"),
        ("facebook", "macondo.example", "macondo.example"),
        ("headline", "@macondo", "@macondo"),
        ("instagram", "", ""),
    ],
)
def test_user_name_or_address_without_scheme_becomes_a_profile_url(
    name: str, typed: str, address: str
) -> None:
    assert complete_address(name, typed) == address
