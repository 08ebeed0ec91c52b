"""Preview of a content area, drawn with the shop's own components. Its links are disabled."""

import reflex as rx
from reflex.vars import ObjectVar

from backend.content.areas import SectionKind
from backend.content.current_content import FooterLineView
from backend.content.home import SectionView
from backend.core.texts import _
from backend.office.content.area_page import AreaPreview
from storefront.components.frame import announcement_line
from storefront.office.content.brand_look import brand_look
from storefront.pages.home import banner_slide, editorial_section

INERT = {"inert": True}


def area_preview(shown: ObjectVar[AreaPreview], test_id: str) -> rx.Component:
    """Render an area's content as the shop shows it, below a title."""
    footer = shown.footer
    return rx.fragment(
        rx.el.h3(shown.title, class_name="o-section__title"),
        rx.el.div(
            rx.cond(shown.announcement.text != "", announcement_line(shown.announcement)),
            rx.cond(
                shown.slides.length() > 0,
                rx.el.div(rx.foreach(shown.slides, banner_slide), class_name="o-areas__slides"),
            ),
            rx.cond(shown.sections.length() > 0, rx.el.ol(rx.foreach(shown.sections, section_preview))),
            rx.cond(
                (footer.about != "") | (footer.lines.length() > 0),
                rx.el.div(
                    rx.el.p(footer.about),
                    rx.el.b(footer.title),
                    rx.el.ul(rx.foreach(footer.lines, line_preview)),
                    class_name="o-areas__footer",
                ),
            ),
            rx.cond(shown.mail_page != "", mail_preview(shown)),
            rx.cond(shown.brand, brand_look(shown.brand, test_id)),
            custom_attrs={**INERT, "lang": "es-CO"},
            class_name="o-areas__looks",
            data_testid=test_id,
        ),
        rx.el.ul(
            rx.foreach(shown.notes, lambda words: rx.el.li(words, key=words)), class_name="o-areas__notes"
        ),
    )


def mail_preview(shown: ObjectVar[AreaPreview]) -> rx.Component:
    """Render an e-mail: its subject, and its HTML in a frame that runs no scripts."""
    return rx.fragment(
        rx.el.p(rx.el.b(shown.mail_subject)),
        rx.el.iframe(
            src_doc=shown.mail_page,
            title=_("El correo, con datos de ejemplo"),
            custom_attrs={"sandbox": ""},
            class_name="o-areas__mail",
        ),
    )


def section_preview(shown: ObjectVar[SectionView]) -> rx.Component:
    """Render a section of the home page. If the shop fills the section automatically, render only its name."""
    return rx.el.li(
        rx.cond(
            shown.kind == SectionKind.EDITORIAL,
            editorial_section(shown),
            rx.el.p(shown.title, class_name="o-areas__own"),
        ),
        key=shown.key,
    )


def line_preview(shown: ObjectVar[FooterLineView]) -> rx.Component:
    """Render a line of the footer."""
    return rx.el.li(rx.cond(shown.href != "", rx.el.u(shown.text), shown.text), key=shown.text)
