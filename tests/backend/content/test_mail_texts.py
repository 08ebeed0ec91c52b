"""The office's texts in mails: placeholders are replaced; markup and templates are not interpreted."""

import pytest

from backend.content.areas import MAIL_AREAS, Area, BrandBody, MailBody, parse_body
from backend.content.brand import Brand, resolve_brand
from backend.content.mail_texts import fill_placeholders, read_mail_content
from backend.content.placeholders import find_unknown_placeholder
from backend.content.versions import save_content
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import InvalidData
from backend.mail.models import MailKind
from backend.office.content.mail_preview import example_mail
from backend.staff.rights import COMMAND_LINE


@pytest.mark.parametrize("text", ["", "Pedido {pedido}", "{tienda}{pedido}"])
def test_known_placeholders_are_accepted(text: str) -> None:
    assert find_unknown_placeholder(text, ("pedido", "tienda")) == ""


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("{clave}", "{clave}"),
        ("{ pedido }", "{ pedido }"),
        ("a {pedido", "{pedido"),
        ("a } b", "}"),
        ("{}", "{}"),
    ],
)
def test_unknown_placeholder_is_refused(text: str, wrong: str) -> None:
    assert find_unknown_placeholder(text, ("pedido", "tienda")) == wrong


def test_inserted_value_that_looks_like_a_placeholder_is_not_replaced() -> None:
    words = fill_placeholders(
        MailBody(opening="{producto} {tienda}"), {"producto": "{tienda}", "tienda": "Trompo"}
    )
    assert words.opening == ["{tienda} Trompo"]


def find_brand(settings: Settings) -> Brand:
    return resolve_brand(BrandBody(), settings)


@pytest.mark.parametrize("area", MAIL_AREAS)
def test_every_mail_contains_the_texts_set_in_the_office(area: Area, settings: Settings) -> None:
    body = MailBody(subject="Asunto de {tienda}", opening="Antes <i>", closing="Después & ya")
    subject, page = example_mail(settings, settings, find_brand(settings), area, body)
    before, after = page.index("Antes &lt;i&gt;"), page.index("Después &amp; ya")
    assert (subject, before < after, page.count("Asunto de Trompo")) == ("Asunto de Trompo", True, 2)
    plain_subject, plain = example_mail(settings, settings, find_brand(settings), area, MailBody())
    assert plain_subject
    assert plain_subject != subject
    assert "Antes" not in plain


async def test_saved_mail_text_is_in_the_next_mail(database: Database, settings: Settings) -> None:
    async with database.transaction() as session:
        for area, subject in (
            (Area.ORDER_PAID, "{clave}"),
            (Area.REFUNDED, "{pedido}"),
            (Area.ORDER_PAID, "x" * 81),
        ):
            with pytest.raises(InvalidData) as refused:
                await save_content(session, COMMAND_LINE, area, MailBody(subject=subject), seen=0)
            assert set(refused.value.fields) == {"subject"}
        body = MailBody(subject="Gracias por {pedido}")
        await save_content(session, COMMAND_LINE, Area.ORDER_PAID, body, seen=0)
        assert await read_mail_content(session, MailKind.ORDER_PAID) == (body, BrandBody())
        assert await read_mail_content(session, MailKind.STAFF_INVITE) == (MailBody(), BrandBody())
    subject, _page = example_mail(settings, settings, find_brand(settings), Area.ORDER_PAID, body)
    assert subject == "Gracias por 4821"
    assert isinstance(parse_body(Area.ORDER_PAID, {}), MailBody)


def test_office_text_is_not_run_as_a_template(settings: Settings) -> None:
    body = MailBody(opening="{{ 7 * 7 }}", closing="{% raw %}")
    _subject, page = example_mail(settings, settings, find_brand(settings), Area.ORDER_PAID, body)
    assert "{{ 7 * 7 }}" in page
    assert "{% raw %}" in page
