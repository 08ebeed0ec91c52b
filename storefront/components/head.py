"""A page's head, out of its facts. React moves these elements into `<head>`, whoever draws the page."""

import reflex as rx
from reflex.vars import ObjectVar

from storefront.facts import DocumentFacts


def head(facts: ObjectVar[DocumentFacts]) -> list[rx.Component]:
    """The head's elements, for `add_page(meta=…)`. Title and picture are the page's own arguments there."""
    return [
        rx.el.meta(name="description", content=facts.description),
        rx.el.meta(name="robots", content=facts.robots),
        rx.cond(facts.canonical != "", rx.el.link(rel="canonical", href=facts.canonical)),
        rx.el.meta(custom_attrs={"property": "og:title"}, content=facts.title),
        rx.el.meta(custom_attrs={"property": "og:description"}, content=facts.description),
    ]
