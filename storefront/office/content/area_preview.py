"""What an area looks like in the shop, drawn by the shop's own components. Nothing in it can be pressed."""

import reflex as rx
from reflex.vars import ObjectVar

from backend.content.areas import SECTION_NAMES, SectionKind
from backend.content.current_content import ShownLine
from backend.content.home import SectionView
from backend.core.texts import _
from backend.office.content.area_page import AreaPreview
from storefront.components.frame import announced
from storefront.pages.home import editorial_section, slide

UNPRESSABLE = {"inert": True}


def looks(shown: ObjectVar[AreaPreview], test_id: str) -> rx.Component:
    """A body as the shop would show it, below what it is."""
    footer = shown.footer
    return rx.fragment(
        rx.el.h3(shown.title, class_name="o-section__title"),
        rx.el.div(
            rx.cond(shown.announcement.text != "", announced(shown.announcement)),
            rx.cond(
                shown.slides.length() > 0,
                rx.el.div(rx.foreach(shown.slides, slide), class_name="o-areas__slides"),
            ),
            rx.cond(shown.sections.length() > 0, rx.el.ol(rx.foreach(shown.sections, section))),
            rx.cond(
                (footer.about != "") | (footer.lines.length() > 0),
                rx.el.div(
                    rx.el.p(footer.about),
                    rx.el.b(footer.title),
                    rx.el.ul(rx.foreach(footer.lines, line)),
                    class_name="o-areas__footer",
                ),
            ),
            rx.cond(shown.mail_page != "", mail(shown)),
            custom_attrs={**UNPRESSABLE, "lang": "es-CO"},
            class_name="o-areas__looks",
            data_testid=test_id,
        ),
        rx.el.ul(
            rx.foreach(shown.notes, lambda words: rx.el.li(words, key=words)), class_name="o-areas__notes"
        ),
    )


def mail(shown: ObjectVar[AreaPreview]) -> rx.Component:
    """A mail: its subject, and its page in a frame that runs nothing."""
    return rx.fragment(
        rx.el.p(rx.el.b(shown.mail_subject)),
        rx.el.iframe(
            src_doc=shown.mail_page,
            title=_("El correo, con datos de ejemplo"),
            custom_attrs={"sandbox": ""},
            class_name="o-areas__mail",
        ),
    )


def section(shown: ObjectVar[SectionView]) -> rx.Component:
    """A section of the home page: those of the shop by their names."""
    names = [(kind, name) for kind, name in SECTION_NAMES.items()]
    return rx.el.li(
        rx.cond(
            shown.kind == SectionKind.EDITORIAL,
            editorial_section(shown),
            rx.el.p(rx.match(shown.kind, *names, ""), class_name="o-areas__own"),
        ),
        key=shown.key,
    )


def line(shown: ObjectVar[ShownLine]) -> rx.Component:
    """A line of the footer."""
    return rx.el.li(rx.cond(shown.href != "", rx.el.u(shown.text), shown.text), key=shown.text)
