"""Changes to a document's HTML: head tags that no component renders, and a new order for an early first paint."""

import re
from collections.abc import Collection
from functools import cache
from html import escape
from pathlib import Path

from backend.content.brand import Brand
from backend.content.palette import DEMO_PALETTE
from backend.core.texts import html_language
from backend.media.brand_pictures import IconKind
from storefront.brand_icons import find_icon_url
from storefront.meta import DocumentMeta
from storefront.reflex_ext.patches import INITIAL_STATE_ID

STAND_IN = "data-stand-in"
BRAND_STYLE_ID = "brand-style"
"""Id of the element with the shop's colours; `assets/scripts/brand.jsx` has the same one."""
PRELOADS = re.compile('<link rel="preload" as="image"[^>]*>')


def full_title(meta: DocumentMeta, site_name: str) -> str:
    """Return a document's title: the page's title and the shop's name."""
    return f"{meta.title} · {site_name}" if meta.title else site_name


def first_tags(meta: DocumentMeta, site_name: str) -> str:
    """Return head tags for a document without rendered content, in place of those that its components will render.

    After the browser has rendered the page's own tags, `assets/scripts/arrival.jsx` removes the tags of this
    function, except the preload of the first picture.
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
    """Return the head tags that only crawlers need: links to neighbouring pages, Open Graph and structured data."""
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


def brand_tags(brand: Brand, *, with_colors: bool = True) -> str:
    """Return the head tags of the shop's brand: its colours and icons.

    `assets/scripts/brand.jsx` updates them when the brand changes. The office keeps its own colours.
    """
    style = f'<style id="{BRAND_STYLE_ID}">{brand.style}</style>' if with_colors and brand.style else ""
    apple = escape(find_icon_url(brand, IconKind.APPLE))
    return "".join(
        [
            style,
            f'<link rel="icon" href="{escape(find_icon_url(brand, IconKind.FAVICON))}"/>',
            f'<link rel="apple-touch-icon" href="{apple}"/>',
            _meta(
                "name", "theme-color", brand.palette.background if with_colors else DEMO_PALETTE.background
            ),
        ]
    )


def with_first_picture(html: str, meta: DocumentMeta) -> str:
    """Return the document with a preload of only its first visible picture.

    React preloads every picture that is not lazy. A dozen small drawings would delay the important first picture.
    """
    head, end, body = html.partition("</head>")
    head = PRELOADS.sub("", head)
    return head.replace("<link", _preload(meta) + "<link", 1) + end + body


def with_tags(html: str, tags: str) -> str:
    """Insert tags at the end of the document's head.

    At this place they are parsed before any module runs. React hydrates the head's tags in order, and ignores
    further tags at the end.
    """
    head, end, body = html.partition("</head>")
    return head + tags + end + body


def with_plain_page(html: str, plain: str) -> str:
    """Insert the plain page at the end of the document's body.

    React hydrates the elements before it, and does not touch unknown elements at the end of the body.
    """
    before, end, after = html.rpartition("</body>")
    return before + plain + end + after


def initial_state_element(state: bytes) -> str:
    """Return the element that carries the initial state (escaped JSON) to the browser.

    It is a `<template>`, because React would change a script or any element type that it renders itself.
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

# Otherwise a phone on a slow line fetches the style sheet together with eleven scripts, and paints nothing until then.
# Preloaded fonts also delay the first frame, despite `font-display`, and so does a font that is declared but not
# available; requesting a dozen scripts alone takes time. React hydrates links by `rel` and `href` alone, so they may
# have more attributes and a different place than React rendered.

STYLESHEET = re.compile(r'<link (?=[^>]*rel="stylesheet")(?:rel="stylesheet" )?href="(/assets/[\w.-]+\.css)"')
"""Pattern of a `<link>` to a style sheet.

In the link to the global style sheet, Reflex writes `href` first. In links to a page's own style sheets, React
Router writes `rel` first.
"""
STYLE_PRELOAD = '<link as="style"'
FONT_LINK = '<link as="font"'
FONT_PRELOAD = re.compile(FONT_LINK + "[^>]*>")
FONT_FACE = re.compile(r"@font-face\s*\{(?![^}]*\boptional\b)[^}]*\burl\([^}]*\}")
"""Pattern of a `@font-face` rule with a downloaded font that is displayed whenever it arrives.

Fallback fonts do not match: they are installed on the visitor's system, so their rules have `local(…)`.
"""
OPTIONAL_FONT = re.compile(r"font-display:\s*optional")
"""Pattern of a font that is displayed only if it is available for the first frame.

The office uses such fonts to avoid layout shifts.
"""
SCRIPT_PRELOAD = re.compile(r'<link (?:media="print" )?rel="modulepreload"[^>]*>')
MODULE = '<script type="module"'
STATIC_IMPORT = re.compile(r'import (?:\* as (\w+) from )?("[^"]+");\s*')
"""Pattern of the imports in the document's module, which React Router writes."""
MAX_PICTURE_WAIT_MS = 1_000
WAIT_FOR_FIRST_PICTURE = f"""await new Promise((start) => {{
  const picture = document.querySelector('img[fetchpriority="high"]');
  const displayed = () => requestAnimationFrame(() => setTimeout(start));
  setTimeout(start, {MAX_PICTURE_WAIT_MS});
  if (!picture || picture.complete) displayed();
  else for (const end of ["load", "error"]) picture.addEventListener(end, displayed);
}});
for (const link of document.querySelectorAll('link[rel="modulepreload"][media]')) {{
  const enabled = link.cloneNode();
  enabled.removeAttribute("media");
  link.replaceWith(enabled);
}}
"""
"""Script that waits until the first frame and the first picture are displayed, and then requests all modules.

What is pressed or typed in the meantime takes effect once the page is hydrated
(`storefront/components/head_scripts/early_press.py`). The wait ends after `MAX_PICTURE_WAIT_MS` if the picture does
not arrive, or the page is in a hidden tab, which displays no frame.
"""


def delay_module(html: str) -> str:
    """Make the document's module wait for the first picture before it imports other modules."""
    before, module, behind = html.rpartition(MODULE)
    attributes, end, rest = behind.partition(">")
    script, close, after = rest.partition("</script>")
    imports = STATIC_IMPORT.findall(script)
    if not module or not imports:
        return html
    names = ", ".join(name for name, _ in imports)
    files = ", ".join(f"import({file})" for _, file in imports)
    before = before.replace('<link rel="modulepreload"', '<link media="print" rel="modulepreload"')
    start = f"{WAIT_FOR_FIRST_PICTURE}const [{names}] = await Promise.all([{files}]);\n"
    return before + module + attributes + end + start + STATIC_IMPORT.sub("", script) + close + after


def disable_font_preloads(html: str, files: Collection[str]) -> str:
    """Return the document with the preloads of these font files disabled: the shop's brand does not use them.

    The links stay in the document for React, with a media query that never matches: browsers fetch nothing.
    """

    def disable(found: re.Match[str]) -> str:
        is_unused = any(f'href="{file}"' in found[0] for file in files)
        return found[0].replace(FONT_LINK, f'{FONT_LINK} media="not all"') if is_unused else found[0]

    return FONT_PRELOAD.sub(disable, html) if files else html


def arrange_for_first_paint(html: str, initial_state: str, folder: Path) -> str:
    """Inline the styles into the head, and move fonts, scripts and the initial state behind the content.

    Fonts for the first frame are requested in the head. Scripts are fetched after the pictures. The initial state
    is placed before the module that reads it, or directly after the head if the document has no module.

    Args:
        html: the document.
        initial_state: the element with the document's initial state.
        folder: the folder of the build with the files for the browser.
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
    """Remove font and script preloads from the head, and disable its style sheet links, so nothing is fetched."""
    head = SCRIPT_PRELOAD.sub("", FONT_PRELOAD.sub("", head))
    head = STYLESHEET.sub(lambda found: found[0].replace("<link", '<link disabled media="print"', 1), head)
    return head.replace(STYLE_PRELOAD, STYLE_PRELOAD + ' media="print"')


@cache
def _styles_and_fonts(file: Path) -> tuple[str, str]:
    """Return the rules of a style sheet, and its font faces. Both are escaped, so that they can be inlined."""
    text = file.read_text("utf-8").replace("</", "<\\/")
    return FONT_FACE.sub("", text), "".join(FONT_FACE.findall(text))
