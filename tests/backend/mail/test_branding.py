"""The shop's brand in mails: its colours, and its logo as a part of the mail."""

import json
import re
from io import BytesIO

import pytest
from PIL import Image

from backend.app import Shop
from backend.content.areas import Area, BrandBody
from backend.content.brand import resolve_brand
from backend.content.brand_files import read_logo
from backend.content.versions import save_content
from backend.core.config.settings import Settings
from backend.mail.branding import DEMO_COLORS, build_mail_logo, find_mail_colors
from backend.mail.messages import Message
from backend.mail.models import MailKind
from backend.mail.rendering import MailRenderer
from backend.media.uploads import SentFile
from backend.staff.rights import COMMAND_LINE
from tests.backend.mail.conftest import text_of
from tests.backend.mail.test_rendering import VALUES

COLORS = {"primary": "#0b3d91", "secondary": "#0f5132", "background": "#f0f4ff", "text_color": "#111111"}


async def upload_logo(shop: Shop) -> str:
    content = BytesIO()
    Image.new("RGBA", (600, 150), (10, 20, 200, 255)).save(content, "PNG")
    sent = SentFile("logo.png", len(content.getvalue()), content)
    return (await shop.uploads.store_brand_picture(COMMAND_LINE, sent)).url


async def test_mail_contains_the_logo_and_the_colors_and_loads_nothing(shop: Shop) -> None:
    body = BrandBody(logo=await upload_logo(shop), **COLORS)
    brand = resolve_brand(body, shop.settings)
    logo = await read_logo(shop.pictures, brand)
    message = Message(MailKind.ORDER_SHIPPED, "ana@example.com", VALUES)
    mail = MailRenderer(shop.settings).render(message, shop.settings, brand=brand, logo_png=logo)
    page = text_of(mail, "html")
    assert '<img src="cid:logo@localhost" alt="Trompo" width="200" height="50"' in page
    assert "background:#0b3d91" in page
    assert "background:#f0f4ff" in page
    assert not [color for color in (DEMO_COLORS.button, *DEMO_COLORS.stripes) if color in page]
    [picture] = [part for part in mail.walk() if part.get_content_type() == "image/png"]
    assert (picture["Content-ID"], picture.get_content()) == ("<logo@localhost>", logo)
    assert [part.get_content_type() for part in mail.walk()][:3] == [
        "multipart/alternative",
        "text/plain",
        "multipart/related",
    ]
    assert "http" not in page.replace(shop.settings.base_url, "").replace("https://trompo.example", "")


async def test_sent_mail_has_the_published_brand(shop: Shop) -> None:
    async with shop.database.transaction() as session:
        body = BrandBody(logo=await upload_logo(shop))
        await save_content(session, COMMAND_LINE, Area.BRAND, body, seen=0)
    assert await read_logo(shop.pictures, resolve_brand(body, shop.settings))


async def test_mail_without_a_stored_logo_shows_the_name_of_the_shop(shop: Shop) -> None:
    lost = resolve_brand(BrandBody(logo="/pictures/0123456789abcdef/marca-64x64.webp"), shop.settings)
    assert await read_logo(shop.pictures, lost) == b""
    message = Message(MailKind.ORDER_SHIPPED, "ana@example.com", VALUES)
    for brand in (None, lost):
        mail = MailRenderer(shop.settings).render(message, shop.settings, brand=brand)
        page = text_of(mail, "html")
        assert "<img" not in page
        assert ">Trompo</a>" in page
        assert not [part for part in mail.walk() if part.get_content_maintype() == "image"]


@pytest.mark.parametrize(
    ("width", "height", "shown"), [(640, 192, (187, 56)), (640, 64, (200, 20)), (40, 40, (40, 40))]
)
def test_logo_fits_and_is_not_enlarged(
    settings: Settings, width: int, height: int, shown: tuple[int, int]
) -> None:
    body = BrandBody(logo=f"/pictures/0123456789abcdef/marca-{width}x{height}.webp")
    logo = build_mail_logo(resolve_brand(body, settings), "cid:logo")
    assert logo is not None
    assert (logo.width, logo.height) == shown


def test_shop_without_its_own_colors_does_not_get_the_demo_colors(settings: Settings) -> None:
    other = settings.model_copy(update={"store_name": "Macondo"})
    assert find_mail_colors(resolve_brand(BrandBody(), settings)) == DEMO_COLORS
    assert find_mail_colors(resolve_brand(BrandBody(), other)).button == "#24446b"


@pytest.mark.parametrize("kind", list(MailKind))
def test_mail_of_another_shop_shows_nothing_of_the_demo_brand(settings: Settings, kind: MailKind) -> None:
    own = {
        "store_name": "Macondo",
        "store_legal_name": "Libros Macondo S.A.S.",
        "store_nit": "901.555.444-1",
        "store_email": "hola@macondo.example",
    }
    other = settings.model_copy(update=own)
    values = json.loads(re.sub("(?i)trompo", "Libro", json.dumps(VALUES)))
    message = Message(kind, "ana@example.com", values)
    mail = MailRenderer(settings).render(message, other, brand=resolve_brand(BrandBody(), other))
    shown = f"{mail['Subject']} {mail['From']} {text_of(mail)} {text_of(mail, 'html')}"
    found = re.search("(?i).{0,40}(trompo|juguete|toy).{0,40}", shown)
    assert found is None, found[0]
    assert not [color for color in (DEMO_COLORS.button, *DEMO_COLORS.stripes) if color in shown]
