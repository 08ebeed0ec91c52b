"""The tags of a head that no component draws."""

import re
from html import escape

from backend.app import current_shop
from backend.texts import html_language
from storefront.facts import DocumentFacts

STAND_IN = "data-stand-in"
PRELOADS = re.compile('<link rel="preload" as="image"[^>]*>')


def first_tags(facts: DocumentFacts) -> str:
    """What the page's own components put into the head when they draw it: for a document they did not draw.

    All but the picture stand in until the page has drawn its own, and go then (`assets/scripts/arrival.jsx`).
    """
    return "".join(
        [
            f"<title {STAND_IN}>{escape(facts.title)}</title>",
            _meta("name", "description", facts.description, STAND_IN),
            _meta("name", "robots", facts.robots, STAND_IN),
            _canonical(facts) if facts.canonical else "",
            _meta("property", "og:title", facts.title, STAND_IN),
            _meta("property", "og:description", facts.description, STAND_IN),
            _meta("property", "og:image", facts.image, STAND_IN),
            _preload(facts),
        ]
    )


def further_tags(facts: DocumentFacts) -> str:
    """What only those read who never run the page: the rest of Open Graph, and the structured data."""
    is_product = '"@type":"Product"' in facts.structured_data
    return "".join(
        [
            _meta("property", "og:type", "product" if is_product else "website"),
            _meta("property", "og:url", facts.canonical) if facts.canonical else "",
            _meta("property", "og:site_name", current_shop().settings.store_name),
            _meta("property", "og:locale", html_language.replace("-", "_")),
            _meta("name", "twitter:card", "summary_large_image" if facts.image else "summary"),
            f'<script type="application/ld+json">{facts.structured_data}</script>'
            if facts.structured_data
            else "",
        ]
    )


def with_first_picture(html: str, facts: DocumentFacts) -> str:
    """The drawn document with one picture to fetch before all else, in place of those that React thinks of.

    React has every picture fetched ahead that is not lazy: a dozen small drawings, which delay the one that counts.
    """
    head, end, body = html.partition("</head>")
    head = PRELOADS.sub("", head)
    return head.replace("<link", _preload(facts) + "<link", 1) + end + body


def with_tags(html: str, tags: str) -> str:
    """The document with further tags as the last ones of its head.

    There they are read before any module runs, and React, which takes over the head's tags in their order, does not
    stumble over them.
    """
    head, end, body = html.partition("</head>")
    return head + tags + end + body


def _meta(kind: str, name: str, content: str, mark: str = "") -> str:
    return f'<meta {kind}="{name}" content="{escape(content)}" {mark}/>' if content else ""


def _canonical(facts: DocumentFacts) -> str:
    return f'<link rel="canonical" href="{escape(facts.canonical)}" {STAND_IN}/>'


def _preload(facts: DocumentFacts) -> str:
    picture = facts.first_picture
    if picture is None:
        return ""
    return (
        f'<link rel="preload" as="image" href="{escape(picture.url)}" imagesrcset="{escape(picture.srcset)}" '
        f'imagesizes="{escape(picture.sizes)}" fetchpriority="high"/>'
    )
