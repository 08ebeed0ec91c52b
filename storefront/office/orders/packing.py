"""Empacar: the order that waits longest, line by line, on a telephone in a stockroom."""

from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import parse_qsl

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.core.texts import _
from backend.fulfillment.bulk_fulfillment import send_rest
from backend.news.topics import Topic
from backend.office.orders.packing import PackLine, PackView, pack_view
from backend.staff.rights import Actor, Right
from storefront.components.forms import BUSY, Once
from storefront.components.pictures import picture
from storefront.components.placeholders import bar
from storefront.office.components.feedback import empty, screen
from storefront.office.icons import icon
from storefront.office.layout import office
from storefront.office.navigation import ATTENTION, ORDERS, PACK
from storefront.office.state import OfficeScreen, answers, office_event
from storefront.reflex_ext.hooks import props, script, view
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_id

TITLE = _("Empacar")
LARGE = "(min-width: 64rem) 20rem, 45vw"
PACKING_SCRIPT = script("office/pack")
ZXING = "@zxing/library@0.23.0"
TEXTS = {
    "unknown": _("Este código no es de este pedido"),
    "enough": _("De este ya están todos"),
    "camera": _("No se puede usar la cámara. Marca las líneas con el dedo."),
    "picture": _("Lo que ve la cámara"),
}
BUTTON = "button "
HELD = _("El banco se contradice sobre el pago: no lo empaques hasta que alguien decida.")


class PackState(OfficeScreen, KnownClientState):
    """What is packed now. It stays what it is until somebody asks for the next."""

    content: rx.Field[PackView | None] = rx.field(None)

    _right: ClassVar[Right] = Right.FULFILL
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.ORDERS, Topic.ATTENTION})

    async def _content(self, actor: Actor) -> PackView:
        asked = dict(parse_qsl(str(self.router.url.query), max_num_fields=10)).get("pedido", "")
        async with current_shop().database.read() as session:
            return await pack_view(session, actor, checked_id(asked) if asked else "")

    async def _refresh(self, actor: Actor) -> None:
        """The order on the screen stays; it says how it stands now."""
        await self._look(actor, self._order_id())

    @office_event(Right.FULFILL)
    async def label(self, actor: Actor, order_id: str) -> None:
        """Make the label of what is in the box."""
        shop, order_id = current_shop(), checked_id(order_id)
        outcome = await send_rest(
            shop.database, actor, await shop.effective_settings.now(), shop.fulfillment_providers, order_id
        )
        self._tell(outcome.text, "news" if outcome.is_done else "problem")
        await self._look(actor, order_id)

    @office_event(Right.FULFILL, is_press=False)
    async def following(self, actor: Actor) -> None:
        """The next order: after one that is left for later, or the one that waits longest."""
        shown = self.content.order if self.content else None
        after = shown.id if shown is not None and shown.state == "open" else ""
        await self._look(actor, "", after)

    async def _look(self, actor: Actor, order_id: str, after: str = "") -> None:
        async with current_shop().database.read() as session:
            content = await pack_view(session, actor, order_id, after=after)
        if content != self.content:
            self.content = content

    def _order_id(self) -> str:
        shown = self.content.order if self.content else None
        return shown.id if shown is not None else ""


class Packing(rx.Component):
    """Around an order that is packed: what of it is in the box already."""

    library = PACKING_SCRIPT
    tag = "Packing"
    lib_dependencies: list[str] = [ZXING]  # noqa: RUF012 - as Reflex declares it
    order: rx.Var[str]
    lines: rx.Var[list[Any]]
    texts: rx.Var[dict[str, str]]


@dataclass(frozen=True, slots=True)
class Packed:
    """What is in the box: units by line, whether all are, and what was said of the last code.

    `line` gives the properties of a line's button, `camera` are those of the camera's.
    """

    counts: dict[str, int]
    is_whole: bool
    said: str
    tone: str
    line: Any
    camera: Any


IN_BOX: ObjectVar[Packed] = view(PACKING_SCRIPT, "usePack", Packed)
SHOWN = PackState.content
ORDER = SHOWN.order


def page() -> rx.Component:
    """What is packed now."""
    nothing = empty(
        "check",
        _("Nada por empacar"),
        _("Lo que se pague aparece aquí, el más viejo primero."),
        rx.el.a(_("Ver los pedidos"), href=ORDERS, class_name=f"{BUTTON}button--small button--dark"),
    )
    content = rx.fragment(
        waiting(),
        rx.cond(SHOWN.order, order(), rx.el.div(nothing, class_name="o-panel")),
    )
    return office(PackState, PACK, TITLE, screen(PackState, content, skeleton()), class_name="o-packing")


def waiting() -> rx.Component:
    """How many wait, and how many a person must decide about first."""
    return rx.el.p(
        rx.cond(SHOWN.waiting == 1, _("Espera 1 pedido."), _("Esperan {n} pedidos.").format(n=SHOWN.waiting)),
        rx.cond(
            SHOWN.doubtful > 0,
            rx.el.a(
                rx.cond(
                    SHOWN.doubtful == 1,
                    _("1 con la guía en duda"),
                    _("{n} con la guía en duda").format(n=SHOWN.doubtful),
                ),
                href=ATTENTION,
                class_name="o-packing__doubt",
            ),
        ),
        rx.cond(
            SHOWN.held > 0,
            rx.el.a(
                rx.cond(
                    SHOWN.held == 1,
                    _("1 con el pago en duda"),
                    _("{n} con el pago en duda").format(n=SHOWN.held),
                ),
                href=ATTENTION,
                class_name="o-packing__doubt",
            ),
        ),
        class_name="o-packing__waiting",
    )


def order() -> rx.Component:
    """The order: whose, what goes into the box, and the label."""
    return rx.el.div(
        rx.el.div(
            rx.el.h2(_("Pedido {number}").format(number=ORDER.number), class_name="o-packing__number"),
            rx.el.p(
                ORDER.buyer,
                " · ",
                rx.cond(ORDER.is_pickup, _("Recoge en tienda"), ORDER.town),
                class_name="o-row__detail",
            ),
            rx.el.p(_("Pagado el {day}").format(day=ORDER.since_label), class_name="o-row__detail"),
            rx.cond(
                ORDER.difference != "",
                rx.el.p(
                    rx.el.b(ORDER.difference), class_name="o-packing__note", data_testid="pack-difference"
                ),
            ),
            rx.foreach(ORDER.notes, lambda note: rx.el.p(note, class_name="o-packing__note", key=note)),
            rx.cond(
                ORDER.gift_message != "",
                rx.el.div(
                    rx.el.b(_("Es un regalo: imprime este mensaje y mételo en la caja, sin precios.")),
                    rx.el.p(ORDER.gift_message, class_name="o-event__text", data_testid="pack-gift"),
                    rx.el.a(
                        icon("print", size=18),
                        _("Imprimir la lista y el mensaje"),
                        href=f"/admin/packing-slips?id={ORDER.id}",
                        target="_blank",
                        custom_attrs={"reloadDocument": True},
                        class_name=f"{BUTTON}button--small button--quiet",
                    ),
                    class_name="o-packing__note",
                ),
            ),
            class_name="o-packing__head",
        ),
        rx.match(
            ORDER.state,
            ("open", open_order()),
            ("packed", packed()),
            ("doubt", stopped(_("La guía espera una decisión: no la pidas otra vez."), is_doubt=True)),
            ("held", stopped(HELD, is_doubt=True)),
            ("busy", stopped(_("Alguien está haciendo esta guía en este momento."))),
            stopped(_("Este pedido ya no se empaca: está cancelado o sin pago.")),
        ),
        key=ORDER.id,
        data_testid="pack-order",
    )


def open_order() -> rx.Component:
    """Its lines to tick, and the label's button, which sleeps until all are."""
    return Packing.create(box(), lines=ORDER.lines, order=ORDER.id, texts=rx.Var.create(TEXTS), key=ORDER.id)


def box() -> rx.Component:
    """What goes into the box."""

    def line(one: ObjectVar[PackLine]) -> rx.Component:
        counted = IN_BOX.counts[one.id]
        return rx.el.li(
            rx.el.button(
                rx.cond(
                    one.picture,
                    picture(one.picture, LARGE, class_name="o-pack__picture", alt=""),
                    rx.el.span(icon("box", size=48), class_name="o-pack__picture o-item__picture--none"),
                ),
                rx.el.span(
                    rx.el.b(f"{one.units} ×", class_name="o-pack__units"),
                    rx.el.span(one.title, class_name="o-pack__title"),
                    rx.cond(one.detail != "", rx.el.span(one.detail, class_name="o-row__detail")),
                    rx.el.span(f"{counted} / {one.units}", class_name="o-pack__count"),
                    class_name="o-pack__words",
                ),
                rx.el.span(icon("check", size=28), class_name="o-pack__tick", aria_hidden="true"),
                type="button",
                special_props=[props(IN_BOX.line, one.id)],
                class_name="o-pack__line",
                data_testid="pack-line",
            ),
            key=one.id,
        )

    return rx.fragment(
        rx.el.div(
            rx.el.button(
                icon("camera", size=20),
                _("Leer códigos"),
                type="button",
                special_props=[IN_BOX.camera],
                class_name=f"{BUTTON}button--small button--quiet",
                data_testid="pack-scan",
            ),
            rx.el.p(IN_BOX.said, role="status", class_name="o-pack__said", data_tone=IN_BOX.tone),
            class_name="o-pack__scan",
        ),
        rx.el.ul(rx.foreach(ORDER.lines, line), class_name="o-pack__lines"),
        Once.create(actions(), answers=answers(PackState)),
    )


def actions() -> rx.Component:
    """The label, once all is in the box; or leave the order for later."""
    return rx.el.div(
        rx.el.button(
            icon("tag", size=22),
            rx.cond(
                BUSY,
                _("Haciendo la guía…"),
                rx.cond(ORDER.is_pickup, _("Empacado"), _("Hacer la guía")),
            ),
            type="button",
            data_once="",
            disabled=~IN_BOX.is_whole.to(bool),
            on_click=PackState.label(ORDER.id),
            class_name=f"{BUTTON}button--primary o-pack__label",
            data_testid="pack-label",
        ),
        rx.el.button(
            _("Dejar para después"),
            type="button",
            on_click=PackState.following,
            class_name=f"{BUTTON}button--small button--quiet",
            data_testid="pack-skip",
        ),
        class_name="o-pack__actions",
    )


def packed() -> rx.Component:
    """It is packed: print its label, stick it on, go on."""
    return rx.el.div(
        rx.el.div(
            icon("check", size=36),
            rx.el.p(
                rx.cond(ORDER.guide != "", _("Guía {guide}").format(guide=ORDER.guide), _("Está empacado.")),
                class_name="o-empty__title",
            ),
            rx.el.p(ORDER.by, class_name="o-row__detail"),
            class_name="o-empty",
            role="status",
            data_testid="pack-done",
        ),
        rx.el.div(
            rx.cond(
                ORDER.label_path != "",
                rx.el.a(
                    icon("print", size=22),
                    _("Imprimir la guía"),
                    href=ORDER.label_path,
                    target="_blank",
                    custom_attrs={"reloadDocument": True},
                    class_name=f"{BUTTON}button--dark o-pack__label",
                    data_testid="pack-print",
                ),
            ),
            following(_("Siguiente")),
            class_name="o-pack__actions",
        ),
        class_name="o-panel",
    )


def stopped(text: str, *, is_doubt: bool = False) -> rx.Component:
    """It cannot be packed now: why, and where to go on."""
    decide = rx.el.a(
        _("Ver en Por resolver"), href=ATTENTION, class_name=f"{BUTTON}button--dark o-pack__label"
    )
    return rx.el.div(
        rx.el.div(
            icon("warning", size=36),
            rx.el.p(text, class_name="o-empty__title"),
            class_name="o-empty",
            role="status",
            data_testid="pack-stopped",
        ),
        rx.el.div(*([decide] if is_doubt else []), following(_("Siguiente")), class_name="o-pack__actions"),
        class_name="o-panel",
    )


def following(label: str) -> rx.Component:
    """Goes on to the next order."""
    return rx.el.button(
        label,
        icon("right", size=22),
        type="button",
        on_click=PackState.following,
        class_name=f"{BUTTON}button--primary o-pack__label",
        data_testid="pack-next",
    )


def skeleton() -> rx.Component:
    """What holds the place of all this."""
    return rx.el.div(
        rx.el.p(bar("10rem"), class_name="o-packing__waiting"),
        rx.el.div(bar("8rem", "1.5rem"), bar("12rem"), class_name="o-packing__head"),
        rx.el.div(bar("100%", "9rem"), class_name="o-panel"),
        aria_hidden="true",
    )
