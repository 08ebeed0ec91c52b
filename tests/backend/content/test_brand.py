"""The shop's brand: validation, versions, rights, concurrent saves, and what a shop without a brand shows."""

from typing import Any

import pytest
from sqlalchemy import select

from backend.audit.models import AuditEntry
from backend.content.areas import Area, BrandBody, parse_body
from backend.content.brand import read_brand
from backend.content.current_content import read_visible_content
from backend.content.fonts import FontName
from backend.content.goods import DEMO_GOODS, NEUTRAL_GOODS
from backend.content.palette import DEMO_PALETTE, NEUTRAL_PALETTE
from backend.content.versions import SavedContent, read_current_version, restore_content, save_content
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import Conflict, Forbidden, InvalidData
from backend.staff.rights import COMMAND_LINE, RIGHTS, Actor, Right, Role
from tests.backend.rivals import run_against_rival

LOGO = "/pictures/0123456789abcdef/marca-300x100.webp"
COLORS = {"primary": "#0b3d91", "secondary": "#0f5132", "background": "#f0f4ff", "text_color": "#111111"}


async def save(
    database: Database, body: dict[str, Any], seen: int = 0, actor: Actor = COMMAND_LINE
) -> SavedContent:
    async with database.transaction() as session:
        return await save_content(session, actor, Area.BRAND, parse_body(Area.BRAND, body), seen=seen)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"logo": "https://otro.example/logo.png"}, "logo"),
    ({"logo": "/pictures/0123456789abcdef/foto-640x192-640.webp"}, "logo"),
    ({"icon": "data:image/svg+xml,<svg/>"}, "icon"),
    ({"primary": "#0b3d91"}, "secondary"),
    ({**COLORS, "primary": "#fff;}body{background:url(//otro.example)"}, "primary"),
    ({**COLORS, "primary": "red"}, "primary"),
    ({**COLORS, "primary": "#7fb0ff"}, "primary"),
    ({**COLORS, "secondary": "#f0f4fe"}, "secondary"),
    ({**COLORS, "text_color": "#bbbbbb"}, "text_color"),
    ({**COLORS, "text_color": "#f0f4ff"}, "text_color"),
    ({**COLORS, "background": "#333333"}, "background"),
    ({**COLORS, "background": "#000000", "text_color": "#ffffff"}, "background"),
    ({"headline": "x" * 81}, "headline"),
    ({"headline_text": "x" * 201}, "headline_text"),
    ({"whatsapp": "llámame"}, "whatsapp"),
    ({"whatsapp": '57300" onclick="alert(1)'}, "whatsapp"),
    ({"instagram": "javascript:alert(1)"}, "instagram"),
    ({"instagram": "https://otro.example/mitienda"}, "instagram"),
    ({"instagram": "https://instagram.com.otro.example/a"}, "instagram"),
    ({"instagram": "https://instagram.com@otro.example/a"}, "instagram"),
    ({"instagram": "https://otro.example\\@instagram.com/a"}, "instagram"),
    ({"instagram": "https://instagram.com:444/a"}, "instagram"),
    ({"instagram": "http://instagram.com/a"}, "instagram"),
    ({"instagram": "//instagram.com/a"}, "instagram"),
    ({"instagram": "/a"}, "instagram"),
    ({"facebook": "https://www.facebook.com/"}, "facebook"),
    ({"tiktok": "https://www.facebook.com/a"}, "tiktok"),
    ({"youtube": f"https://youtube.com/{'a' * 200}"}, "youtube"),
    ({"x": "https://x.com/a\nb"}, "x"),
    ({"slogan": "Hola"}, "slogan"),
    ({"goods_one": "libro"}, "goods_many"),
    ({"goods_many": "libros"}, "goods_one"),
    ({"goods_one": "x" * 26, "goods_many": "libros"}, "goods_one"),
    ({"goods_one": "<b>libro", "goods_many": "libros"}, "goods_one"),
    ({"goods_one": "libro", "goods_many": "{goods}"}, "goods_many"),
    ({"goods_one": "libro", "goods_many": "libros", "goods_gender": "x"}, "goods_gender"),
    ({"font": "Comic Sans"}, "font"),
    ({"font": "serif;}body{display:none"}, "font"),
]


async def test_invalid_brand_is_reported_by_field(database: Database) -> None:
    for body, field in REFUSED:
        with pytest.raises(InvalidData) as refused:
            await save(database, body)
        assert field in refused.value.fields, body
    async with database.read() as session:
        assert (await read_current_version(session, Area.BRAND)).version == 0


async def test_unreadable_color_is_refused_and_the_suggested_color_is_accepted(database: Database) -> None:
    with pytest.raises(InvalidData) as refused:
        await save(database, {**COLORS, "primary": "#7fb0ff"})
    message = refused.value.fields["primary"]
    assert message.startswith("No se lee bien: el contraste es 1,9 y hace falta 4,5.")
    nearest = message.removesuffix(".").rpartition(" ")[2]
    assert (await save(database, {**COLORS, "primary": nearest})).version == 1


async def test_brand_saves_and_restores_are_versioned_and_audited(
    database: Database, settings: Settings
) -> None:
    await save(
        database, {"logo": LOGO, **COLORS, "primary": " 0B3D91", "tiktok": "https://www.tiktok.com/@a"}
    )
    async with database.read() as session:
        brand = await read_brand(session, settings)
        assert (await read_visible_content(session)).brand.logo == LOGO
    assert (brand.logo, brand.icon) == (brand.icon, brand.logo)
    assert (brand.palette.primary, [link.label for link in brand.links]) == ("#0b3d91", ["TikTok"])
    assert "--paper:#f0f4ff;" in brand.style
    assert (
        await save(database, {"logo": LOGO, **COLORS, "tiktok": "https://www.tiktok.com/@a"}, 1)
    ).version == 1
    async with database.transaction() as session:
        await restore_content(session, COMMAND_LINE, Area.BRAND, 0, seen=1)
    async with database.read() as session:
        assert (await read_brand(session, settings)).logo is None
        entries = (await session.execute(select(AuditEntry.action, AuditEntry.subject_id))).all()
    assert [tuple(entry) for entry in entries] == [("changed", "brand"), ("content restored", "brand")]


@pytest.mark.parametrize("role", [role for role in Role if Right.CHANGE_BRAND not in RIGHTS[role]])
async def test_role_without_the_right_may_not_change_the_brand(database: Database, role: Role) -> None:
    actor = Actor("staff_1", role)
    with pytest.raises(Forbidden):
        await save(database, {"headline": "Hola"}, actor=actor)
    async with database.transaction() as session:
        with pytest.raises(Forbidden):
            await restore_content(session, actor, Area.BRAND, 0, seen=0)


async def test_brand_save_based_on_an_outdated_version_is_refused(database: Database) -> None:
    await save(database, {"headline": "Uno"})
    with pytest.raises(Conflict):
        await save(database, {"headline": "Dos"})


async def test_brand_save_that_waits_for_a_concurrent_save_is_refused(database: Database) -> None:
    async def rival(session: Any) -> None:
        body = BrandBody(headline="Del otro")
        await save_content(session, COMMAND_LINE, Area.BRAND, body, seen=0)

    with pytest.raises(Conflict):
        await run_against_rival(database, rival, lambda: save(database, {"headline": "Mío"}))
    async with database.read() as session:
        saved = await read_current_version(session, Area.BRAND)
    assert (saved.version, saved.body) == (1, BrandBody(headline="Del otro"))


async def test_shop_with_any_identity_setting_of_its_own_has_no_demo_brand(
    database: Database, settings: Settings
) -> None:
    own = {"store_name": "Macondo", "store_nit": "901", "store_phone": "1", "store_email": "a@b.co"}
    async with database.read() as session:
        demo = await read_brand(session, settings)
        others = [
            await read_brand(session, settings.model_copy(update={name: value}))
            for name, value in own.items()
        ]
    assert (demo.is_demo, demo.palette, demo.style) == (True, DEMO_PALETTE, "")
    assert demo.headline.startswith("Juguetes")
    assert (demo.goods, demo.font) == (DEMO_GOODS, FontName.ROUNDED)
    for other in others:
        assert (other.is_demo, other.logo, other.palette) == (False, None, NEUTRAL_PALETTE)
        assert other.headline == other.name
        assert (other.goods, other.font) == (NEUTRAL_GOODS, FontName.PLAIN)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"goods_one": "libro", "goods_many": "libros"}, ("libro", "libros", "Todos los libros")),
        (
            {"goods_one": "revista", "goods_many": "revistas", "goods_gender": "f"},
            ("revista", "revistas", "Todas las revistas"),
        ),
        (
            {"goods_one": "libro de segunda", "goods_many": "ñandúes-lápiz"},
            ("libro de segunda", "ñandúes-lápiz", "Todos los ñandúes-lápiz"),
        ),
    ],
)
async def test_brand_uses_the_words_that_the_owner_chose_for_products(
    database: Database, settings: Settings, body: dict[str, Any], words: tuple[str, str, str]
) -> None:
    await save(database, body)
    async with database.read() as session:
        brand = await read_brand(session, settings)
    assert (brand.goods.one, brand.goods.many, brand.goods.every) == words


async def test_chosen_font_is_in_the_style(database: Database, settings: Settings) -> None:
    await save(database, {"font": "serif"})
    async with database.read() as session:
        brand = await read_brand(session, settings)
    assert (brand.font, brand.has_own_colors) == (FontName.SERIF, False)
    assert brand.style.startswith("html:root{--display:Georgia,")


async def test_whatsapp_number_of_the_settings_is_used_if_the_brand_has_none(
    database: Database, settings: Settings
) -> None:
    effective = settings.model_copy(update={"store_whatsapp": "300 123 4567"})
    async with database.read() as session:
        assert (await read_brand(session, effective)).whatsapp == "300 123 4567"
    await save(database, {"whatsapp": "57 310 765 4321"})
    async with database.read() as session:
        assert (await read_brand(session, effective)).whatsapp == "57 310 765 4321"
