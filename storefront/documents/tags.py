"""The tags of a head that no component draws."""

from html import escape

from backend.app import current_shop
from storefront.documents.facts import DocumentFacts
from storefront.locale import html_language


def first_tags(facts: DocumentFacts) -> str:
    """What the page's own components put into the head when they draw it: for a document they did not draw.

    React finds these tags when it draws the page in the browser, and takes them over.
    """
    return "".join(
        [
            f"<title>{escape(facts.title)}</title>",
            _meta("name", "description", facts.description),
            _meta("name", "robots", facts.robots),
            f'<link rel="canonical" href="{escape(facts.canonical)}"/>' if facts.canonical else "",
            _meta("property", "og:title", facts.title),
            _meta("property", "og:description", facts.description),
            _meta("property", "og:image", facts.image) if facts.image else "",
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


def with_tags(html: str, tags: str) -> str:
    """The document with further tags as the last ones of its head.

    There they are read before any module runs, and React, which takes over the head's tags in their order, does not
    stumble over them.
    """
    head, end, body = html.partition("</head>")
    return head + tags + end + body


def _meta(kind: str, name: str, content: str) -> str:
    return f'<meta {kind}="{name}" content="{escape(content)}"/>' if content else ""


def _preload(facts: DocumentFacts) -> str:
    picture = facts.first_picture
    if picture is None:
        return ""
    return (
        f'<link rel="preload" as="image" href="{escape(picture.url)}" imagesrcset="{escape(picture.srcset)}" '
        f'imagesizes="{escape(picture.sizes)}" fetchpriority="high"/>'
    )
