"""Preview of a brand, drawn with the shop's own styles. Its links are disabled."""

import reflex as rx
from reflex.vars import ObjectVar

from backend.content.brand import SocialLink
from backend.core.money import format_cop
from backend.core.texts import _
from backend.office.content.brand_look import BrandLook
from storefront.components.pictures import logo_content

INERT = {"inert": True, "lang": "es-CO"}


def brand_look(look: ObjectVar[BrandLook], key: str) -> rx.Component:
    """Render a sample of a page with this brand. `key` distinguishes several samples on a screen."""
    samples = rx.el.div(
        rx.el.span(_("Comprar"), class_name="button button--primary button--small"),
        rx.el.span(_("Ver más"), class_name="button button--dark button--small"),
        rx.el.span(_("Después"), class_name="button button--quiet button--small"),
        class_name="o-look__buttons",
    )
    card = rx.el.div(
        rx.el.span("-20 %", class_name="badge badge--sale"),
        rx.el.b(format_cop(79_900), class_name="o-look__price"),
        rx.el.span(_("Disponible"), class_name="o-look__stock"),
        class_name="o-look__card",
    )
    icon = rx.cond(
        look.icon != "",
        rx.el.img(src=look.icon, alt="", custom_attrs={"width": 56, "height": 56}),
        rx.el.span(look.name[:1], class_name="o-look__letter"),
    )
    return rx.el.div(
        rx.el.style(f".o-look--{key}{{" + look.style + "}"),
        rx.el.div(logo_content(look, look.name, "logo__name"), class_name="o-look__head"),
        rx.el.div(
            rx.el.b(look.headline, class_name="o-look__title"),
            rx.cond(look.text != "", rx.el.p(look.text, class_name="o-look__text")),
            rx.el.p(
                look.goods.every,
                " · ",
                _("¿Qué {item} buscas?").format(item=look.goods.one),
                class_name="o-look__text",
            ),
            samples,
            card,
            class_name="o-look__page",
        ),
        rx.el.div(
            icon,
            rx.el.ul(
                rx.cond(look.whatsapp != "", rx.el.li("WhatsApp ", look.whatsapp)),
                rx.foreach(look.links, _link_preview),
            ),
            class_name="o-look__footer",
        ),
        class_name=f"o-look o-look--{key}",
        custom_attrs=INERT,
    )


def _link_preview(link: ObjectVar[SocialLink]) -> rx.Component:
    return rx.el.li(rx.el.u(link.label), key=link.label)
