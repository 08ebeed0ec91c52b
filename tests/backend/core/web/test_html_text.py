"""Conversion of HTML to text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.core.web.html_text import to_plain_text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (
            "<p>Trompo de <strong>madera</strong>.</p><ul><li>Con cuerda</li></ul>&nbsp;",
            "Trompo de madera.\n\n• Con cuerda",
        ),
        (
            "<p>Uno\n  dos</p>\n<ol>\n<li>Abre<ul><li>la caja</li></ul></li>\n<li>Juega</li>\n</ol>",
            "Uno dos\n\n1. Abre\n• la caja\n2. Juega",
        ),
        ("Uno\n\n<strong>Dos</strong>\nTres", "Uno\n\nDos\nTres"),
        ("a<br>b<br/><br>c", "a\nb\n\nc"),
        ("<div>uno</div><div>dos</div>", "uno\ndos"),
        ("<p>a</p><p>&nbsp;</p><p>b", "a\n\nb"),
        ("<table><tr><td>Alto</td><td>5 cm</td></tr><tr><td>Ancho</td><td>3</td></tr></table>", "Alto 5 cm\nAncho 3"),
        ("<style>p { color: red }</style>hola<script>alert(1)</script>", "hola"),
        ("<!-- nota -->hola", "hola"),
        ("Rompecabezas &amp; m&aacute;s", "Rompecabezas & más"),
        ("&lt;p&gt;hola&lt;/p&gt;", "hola"),
        ("<b>Escríbenos</b> <hola@trompo.co>", "Escríbenos <hola@trompo.co>"),
    ],
)  # fmt: skip
def test_html_is_converted_to_plain_text(html: str, text: str) -> None:
    assert to_plain_text(html) == text


@pytest.mark.parametrize(
    "text", ["", "5 < 6 y 7 > 3", "te <3", "AT&T", " dos\n\n\nlíneas ", "<hola@trompo.co>", "<p"]
)
def test_text_without_html_is_unchanged(text: str) -> None:
    assert to_plain_text(text) == text


PIECES = st.sampled_from(
    [
        "<p>",
        "</p>",
        "<ul>",
        "<li>",
        "</li>",
        "</ul>",
        "<br>",
        "<b>",
        "</b>",
        "&amp;",
        "&lt;",
        "<",
        ">",
        "\n",
        " ",
        "madera",
    ]
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_converted_text_is_not_converted_again(html: str) -> None:
    text = to_plain_text(html)
    assert to_plain_text(text) == text
