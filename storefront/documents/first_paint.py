"""What a drawn document needs to be seen comes first and inside it; what only scripts and the eye want, after.

A phone on a slow line otherwise fetches the style sheet beside eleven scripts, and shows nothing until all are there.
Fonts that the head has fetched ahead hold up the first frame too, whatever `font-display` says, and so does looking for
what stands in for a font that is known of but not there; asking for a dozen scripts alone takes time.
React takes the links over by `rel` and `href` alone, so they may say more and stand elsewhere than where it drew them.
"""

import re
from functools import cache
from pathlib import Path

STYLESHEET = re.compile(r'<link href="(/assets/[\w.-]+\.css)" rel="stylesheet"')
STYLES_AHEAD = '<link as="style"'
FONT_AHEAD = re.compile(r'<link as="font"[^>]*>')
FONT_FACE = re.compile(r"@font-face\s*\{[^}]*\burl\([^}]*\}")
"""A font that has to be fetched; one that stands in for it is the reader's own and says `local(…)`."""
SCRIPT_AHEAD = re.compile(r'<link rel="modulepreload"[^>]*>')
MODULE = '<script type="module"'


def arranged_for_first_paint(html: str, seed: str, folder: Path) -> str:
    """The drawn document: styles in its head, and behind its content its fonts, its scripts and its seed.

    Scripts are fetched after the pictures. The seed stands before the module that reads it; a document without one has
    it at the end of its head.

    Args:
        html: the document.
        seed: the element that carries its seed.
        folder: the build's files for the browser.
    """
    head, end, body = html.partition("</head>")
    content, module, scripts = body.rpartition(MODULE)
    sheets = [_styles_and_fonts(folder / name[1:]) for name in STYLESHEET.findall(head)]
    styles = "".join(f"<style>{rules}</style>" for rules, _ in sheets)
    fonts = "".join(FONT_AHEAD.findall(head)) + "".join(
        f"<style>{faces}</style>" for _, faces in sheets if faces
    )
    ahead = "".join(SCRIPT_AHEAD.findall(head)).replace("<link", '<link fetchpriority="low"')
    return _without_fetching(head) + styles + end + content + fonts + ahead + seed + module + scripts


def _without_fetching(head: str) -> str:
    """The head without what is fetched behind the content, and with links that no longer fetch the styles."""
    head = SCRIPT_AHEAD.sub("", FONT_AHEAD.sub("", head))
    head = STYLESHEET.sub(lambda found: found[0].replace("<link", "<link disabled", 1), head)
    return head.replace(STYLES_AHEAD, STYLES_AHEAD + ' media="print"')


@cache
def _styles_and_fonts(file: Path) -> tuple[str, str]:
    """The rules of a style sheet and its fonts, each as they may stand inside a document."""
    text = file.read_text("utf-8").replace("</", "<\\/")
    return FONT_FACE.sub("", text), "".join(FONT_FACE.findall(text))
