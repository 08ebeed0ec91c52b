"""What a drawn document needs to be seen comes inside it; its scripts come after, when the picture is there.

A phone on a slow line otherwise fetches the style sheet beside eleven scripts, and shows nothing until all are there.
React takes the head's links over by `rel` and `href` alone, so they may say more here than where it drew them.
"""

import re
from functools import cache
from pathlib import Path

STYLESHEET = re.compile(r'<link href="(/assets/[\w.-]+\.css)" rel="stylesheet"')
STYLES_AHEAD = '<link as="style"'
SCRIPT_AHEAD = '<link rel="modulepreload"'


def with_styles_inside(html: str, folder: Path) -> str:
    """The drawn document with its style sheets in its head, and its scripts behind everything else.

    Args:
        html: the document.
        folder: the build's files for the browser.
    """
    head, end, body = html.partition("</head>")
    styles = "".join(f"<style>{_text(folder / name[1:])}</style>" for name in STYLESHEET.findall(head))
    head = STYLESHEET.sub(lambda found: found[0].replace("<link", "<link disabled", 1), head)
    head = head.replace(STYLES_AHEAD, STYLES_AHEAD + ' media="print"')
    head = head.replace(SCRIPT_AHEAD, SCRIPT_AHEAD + ' fetchpriority="low"')
    return head + styles + end + body


@cache
def _text(file: Path) -> str:
    return file.read_text("utf-8").replace("</", "<\\/")
