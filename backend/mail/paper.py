"""How a mail looks: the same facts twice, as plain text and in the shop's own look.

Nothing in it is loaded from anywhere: no picture, no font, no script. Mail programs know tables and styles on each
element and little else, so that is what the page is made of.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import format_datetime, formataddr, make_msgid
from html import escape
from urllib.parse import urlsplit

from backend.clock import now
from backend.settings import Settings

PAPER, CARD, LINE, INK, INK_SOFT, BUTTON = "#FBF6EC", "#FFFDF8", "#E6D9C2", "#1F1B16", "#5C5347", "#B93420"
TOYS = ("#E4482F", "#F6B32B", "#17806D", "#2B78C5", "#F08FAE")
DISPLAY = "Fredoka, Quicksand, 'Arial Rounded MT Bold', 'Trebuchet MS', Verdana, sans-serif"
TEXT = "Figtree, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"


@dataclass(frozen=True, slots=True)
class Letter:
    """What a mail says. `bill` are the names and amounts of a purchase, its total last.

    Without an `action` there is no button.
    """

    subject: str
    greeting: str
    words: Sequence[str]
    action: str = ""
    link: str = ""
    bill: Sequence[tuple[str, str]] = ()
    after: Sequence[str] = ()


def on_paper(letter: Letter, settings: Settings, to: str) -> EmailMessage:
    """The mail as it leaves."""
    mail = EmailMessage()
    mail["From"] = formataddr((settings.store_name, settings.store_email))
    mail["To"] = to
    mail["Subject"] = letter.subject
    mail["Date"] = format_datetime(now())
    mail["Message-ID"] = make_msgid(domain=_host(settings))
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(plain(letter, settings))
    mail.add_alternative(page(letter, settings), subtype="html")
    return mail


def plain(letter: Letter, settings: Settings) -> str:
    """The letter as text."""
    bill = "\n".join(f"{name}: {amount}" for name, amount in letter.bill)
    action = f"{letter.action}:\n{letter.link}" if letter.action else ""
    parts = [letter.greeting, *letter.words, bill, action, *letter.after, "\n".join(_farewell(settings))]
    return "\n\n".join(filter(None, parts)) + "\n"


def page(letter: Letter, settings: Settings) -> str:
    """The letter in the shop's look, for any width from 320 px on."""
    words = "".join(_paragraph(text) for text in [letter.greeting, *letter.words])
    after = "".join(_paragraph(text, f"color:{INK_SOFT};font-size:14px") for text in letter.after)
    farewell = "<br>".join(escape(line) for line in _farewell(settings))
    return f"""<!doctype html>
<html lang="es">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light">
<title>{escape(letter.subject)}</title>
</head>
<body style="margin:0;padding:0;background:{PAPER};color:{INK};-webkit-text-size-adjust:100%">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="background:{PAPER}">
<tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;font-family:{TEXT}">
<tr><td style="padding:0 8px 16px">{_sign(settings)}</td></tr>
<tr><td style="padding:28px 24px;background:{CARD};border:1px solid {LINE};border-radius:20px">
<h1 style="margin:0 0 16px;font:600 24px/1.25 {DISPLAY};color:{INK}">{escape(letter.subject)}</h1>
{words}{_table(letter.bill)}{_button(letter)}{after}</td></tr>
<tr><td style="padding:16px 8px 0;color:{INK_SOFT};font-size:14px;line-height:1.6">{farewell}</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
"""


def _sign(settings: Settings) -> str:
    """The shop's name over a row of toy colours."""
    blocks = "".join(
        f'<td width="22" height="6" style="background:{colour};font-size:0;line-height:0">&nbsp;</td>'
        for colour in TOYS
    )
    return (
        f'<a href="{escape(settings.base_url)}" style="font:600 26px/1.2 {DISPLAY};color:{INK};text-decoration:none">'
        f"{escape(settings.store_name)}</a>"
        '<table role="presentation" cellpadding="0" cellspacing="0" style="margin-top:8px">'
        f"<tr>{blocks}</tr></table>"
    )


def _paragraph(text: str, style: str = "font-size:16px") -> str:
    return f'<p style="margin:0 0 16px;line-height:1.6;{style}">{escape(text)}</p>\n'


def _table(bill: Sequence[tuple[str, str]]) -> str:
    if not bill:
        return ""
    rows = ""
    for place, (name, amount) in enumerate(bill):
        is_total = place == len(bill) - 1
        look = f"font-weight:700;border-top:2px solid {INK}" if is_total else f"border-top:1px solid {LINE}"
        cell = f"padding:10px 0;font-size:16px;line-height:1.4;{look}"
        rows += (
            f'<tr><td style="{cell};padding-right:16px">{escape(name)}</td>'
            f'<td align="right" valign="top" style="{cell};white-space:nowrap">{escape(amount)}</td></tr>\n'
        )
    return (
        '<table width="100%" cellpadding="0" cellspacing="0" style="margin:8px 0 24px;border-collapse:collapse">\n'
        f"{rows}</table>\n"
    )


def _button(letter: Letter) -> str:
    """The way on, and its address below for programs that show no links."""
    if not letter.action:
        return ""
    link = escape(letter.link)
    return (
        '<table role="presentation" cellpadding="0" cellspacing="0" style="margin:8px 0 16px">'
        f'<tr><td style="background:{BUTTON};border-radius:28px"><a href="{link}" style="display:inline-block;'
        f'padding:15px 28px;font:600 17px/1.2 {DISPLAY};color:#FFFFFF;text-decoration:none">{escape(letter.action)}'
        "</a></td></tr></table>\n"
        f'<p style="margin:0 0 16px;font-size:13px;line-height:1.5;color:{INK_SOFT};overflow-wrap:anywhere;'
        f'word-break:break-all">{link}</p>\n'
    )


def _farewell(settings: Settings) -> list[str]:
    return [
        f"{settings.store_name} · {_host(settings)}",
        f"{settings.store_phone} · {settings.store_email}",
    ]


def _host(settings: Settings) -> str:
    return urlsplit(settings.base_url).hostname or "localhost"
