"""Changes to a document's HTML: tags of its head that no component renders, and an order in which it is seen early."""

import re
from functools import cache
from html import escape
from pathlib import Path

from backend.core.texts import html_language
from storefront.meta import DocumentMeta
from storefront.reflex_ext.patches import INITIAL_STATE_ID

STAND_IN = "data-stand-in"
PRELOADS = re.compile('<link rel="preload" as="image"[^>]*>')


def full_title(meta: DocumentMeta, site_name: str) -> str:
    """The title of a document: the page's, and the shop's name."""
    return f"{meta.title} · {site_name}" if meta.title else site_name


def first_tags(meta: DocumentMeta, site_name: str) -> str:
    """What the page's own components put into the head: for the shell, which they did not render.

    All but the picture are removed when the page has rendered its own (`assets/scripts/arrival.jsx`).
    """
    return "".join(
        [
            f"<title {STAND_IN}>{escape(full_title(meta, site_name))}</title>",
            _meta("name", "description", meta.description, STAND_IN),
            _meta("name", "robots", meta.robots, STAND_IN),
            f'<link rel="canonical" href="{escape(meta.canonical)}" {STAND_IN}/>' if meta.canonical else "",
            _meta("property", "og:title", full_title(meta, site_name), STAND_IN),
            _meta("property", "og:description", meta.description, STAND_IN),
            _meta("property", "og:image", meta.image, STAND_IN),
            _preload(meta),
        ]
    )


def further_tags(meta: DocumentMeta, site_name: str) -> str:
    """What is only for those who never run the page: neighbours, the rest of Open Graph, structured data."""
    is_product = '"@type":"Product"' in meta.structured_data
    return "".join(
        [
            _link("prev", meta.previous),
            _link("next", meta.following),
            _meta("property", "og:type", "product" if is_product else "website"),
            _meta("property", "og:url", meta.canonical),
            _meta("property", "og:site_name", site_name),
            _meta("property", "og:locale", html_language.replace("-", "_")),
            _meta("name", "twitter:card", "summary_large_image" if meta.image else "summary"),
            f'<script type="application/ld+json">{meta.structured_data}</script>'
            if meta.structured_data
            else "",
        ]
    )


def with_first_picture(html: str, meta: DocumentMeta) -> str:
    """The document with a preload of the picture that the page opens with, and of no other.

    React preloads every picture that is not lazy: a dozen small drawings, which delay the one that counts.
    """
    head, end, body = html.partition("</head>")
    head = PRELOADS.sub("", head)
    return head.replace("<link", _preload(meta) + "<link", 1) + end + body


def with_tags(html: str, tags: str) -> str:
    """The document with further tags as the last ones of its head.

    There they are read before any module runs, and React, which hydrates the head's tags in their order, does not
    stumble over them.
    """
    head, end, body = html.partition("</head>")
    return head + tags + end + body


def with_plain_page(html: str, plain: str) -> str:
    """The document with its page in words and links as the last element of its body.

    React, which hydrates what stands before it, leaves at the end of a body what it does not know.
    """
    before, end, after = html.rpartition("</body>")
    return before + plain + end + after


def initial_state_element(state: bytes) -> str:
    """The element that brings the initial state (JSON, escaped) to the browser.

    A `<template>`, because React would take a script or any element that it renders itself for one of its own.
    """
    return f'<template id="{INITIAL_STATE_ID}">{state.decode()}</template>'


def _meta(kind: str, name: str, content: str, mark: str = "") -> str:
    return f'<meta {kind}="{name}" content="{escape(content)}" {mark}/>' if content else ""


def _link(rel: str, url: str) -> str:
    return f'<link rel="{rel}" href="{escape(url)}"/>' if url else ""


def _preload(meta: DocumentMeta) -> str:
    picture = meta.first_picture
    if picture is None:
        return ""
    files = (
        f' imagesrcset="{escape(picture.srcset)}" imagesizes="{escape(picture.sizes)}"'
        if picture.srcset
        else ""
    )
    return f'<link rel="preload" as="image" href="{escape(picture.url)}"{files} fetchpriority="high"/>'


# ------------------------------------------------------------------------------------------------ first paint

# A phone on a slow line otherwise fetches the style sheet beside eleven scripts, and shows nothing until all are there.
# Preloaded fonts hold up the first frame too, whatever `font-display` says, and so does a font that is declared but not
# there; asking for a dozen scripts alone takes time. React hydrates links by `rel` and `href` alone, so they may have
# more attributes and stand elsewhere than where it rendered them.

STYLESHEET = re.compile(r'<link (?=[^>]*rel="stylesheet")(?:rel="stylesheet" )?href="(/assets/[\w.-]+\.css)"')
"""Reflex writes the address of the styles of all pages first; React Router, of a page's own styles, what they are."""
STYLE_PRELOAD = '<link as="style"'
FONT_PRELOAD = re.compile(r'<link as="font"[^>]*>')
FONT_FACE = re.compile(r"@font-face\s*\{(?![^}]*\boptional\b)[^}]*\burl\([^}]*\}")
"""A font that is shown whenever it comes. One that stands in for it is the reader's own and says `local(…)`."""
OPTIONAL_FONT = re.compile(r"font-display:\s*optional")
"""A font that is shown if it is there for the first frame. The office has such, so that nothing moves there."""
SCRIPT_PRELOAD = re.compile(r'<link rel="modulepreload"[^>]*>')
MODULE = '<script type="module"'


def arranged_for_first_paint(html: str, initial_state: str, folder: Path) -> str:
    """The document with its styles inside its head, and fonts, scripts and initial state behind its content.

    Fonts that are for the first frame or not at all are asked for in the head. Scripts are fetched after the pictures.
    The initial state stands before the module that reads it; a document without a module has it at the end of its head.

    Args:
        html: the document.
        initial_state: the element that holds its initial state.
        folder: the build's files for the browser.
    """
    head, end, body = html.partition("</head>")
    content, module, scripts = body.rpartition(MODULE)
    sheets = [_styles_and_fonts(folder / name[1:]) for name in STYLESHEET.findall(head)]
    styles = "".join(f"<style>{rules}</style>" for rules, _ in sheets)
    asked = "".join(FONT_PRELOAD.findall(head))
    early, late = (asked, "") if OPTIONAL_FONT.search(styles) else ("", asked)
    fonts = late + "".join(f"<style>{faces}</style>" for _, faces in sheets if faces)
    preloads = "".join(SCRIPT_PRELOAD.findall(head)).replace("<link", '<link fetchpriority="low"')
    return (
        _without_fetching(head)
        + early
        + styles
        + end
        + content
        + fonts
        + preloads
        + initial_state
        + module
        + scripts
    )


def _without_fetching(head: str) -> str:
    """The head without what is fetched behind the content, and with links that no longer fetch the styles."""
    head = SCRIPT_PRELOAD.sub("", FONT_PRELOAD.sub("", head))
    head = STYLESHEET.sub(lambda found: found[0].replace("<link", "<link disabled", 1), head)
    return head.replace(STYLE_PRELOAD, STYLE_PRELOAD + ' media="print"')


@cache
def _styles_and_fonts(file: Path) -> tuple[str, str]:
    """The rules of a style sheet and its fonts, each as they may stand inside a document."""
    text = file.read_text("utf-8").replace("</", "<\\/")
    return FONT_FACE.sub("", text), "".join(FONT_FACE.findall(text))
