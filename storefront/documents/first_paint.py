"""What a drawn document needs to be seen comes first and inside it; what only scripts and the eye want, after.

A phone on a slow line otherwise fetches the style sheet beside eleven scripts, and shows nothing until all are there.
Fonts that the head has fetched ahead hold up the first frame too, whatever `font-display` says, and asking for a dozen
scripts alone takes time.
React takes the links over by `rel` and `href` alone, so they may say more and stand elsewhere than where it drew them.
"""

import re
from functools import cache
from pathlib import Path

STYLESHEET = re.compile(r'<link href="(/assets/[\w.-]+\.css)" rel="stylesheet"')
STYLES_AHEAD = '<link as="style"'
FONT_AHEAD = re.compile(r'<link as="font"[^>]*>')
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
    fonts = "".join(FONT_AHEAD.findall(head))
    ahead = "".join(SCRIPT_AHEAD.findall(head)).replace("<link", '<link fetchpriority="low"')
    return _head(head, folder) + end + content + fonts + ahead + seed + module + scripts


def _head(head: str, folder: Path) -> str:
    styles = "".join(f"<style>{_text(folder / name[1:])}</style>" for name in STYLESHEET.findall(head))
    head = SCRIPT_AHEAD.sub("", FONT_AHEAD.sub("", head))
    head = STYLESHEET.sub(lambda found: found[0].replace("<link", "<link disabled", 1), head)
    return head.replace(STYLES_AHEAD, STYLES_AHEAD + ' media="print"') + styles


@cache
def _text(file: Path) -> str:
    return file.read_text("utf-8").replace("</", "<\\/")
