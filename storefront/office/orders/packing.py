"""The packing screen (Empacar), for a phone in the warehouse. It shows the oldest unpacked order, line by line."""

from dataclasses import dataclass
from typing import Any, ClassVar

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.core.texts import _
from backend.fulfillment.bulk_fulfillment import send_remaining_units, send_units
from backend.news.topics import Topic
from backend.office.orders.packing import PackedParcel, PackLine, PackView, pack_view
from backend.staff.rights import Actor, Right
from storefront.components.forms import BUSY, SubmitOnce
from storefront.components.pictures import picture
from storefront.components.placeholders import skeleton_bar
from storefront.office.components.feedback import chip, empty_state, screen
from storefront.office.icons import icon
from storefront.office.layout import office_layout
from storefront.office.navigation import ATTENTION, ORDERS, PACK
from storefront.office.react_components import ZXING
from storefront.office.state import OfficeScreen, answer_number, office_event
from storefront.reflex_ext.hooks import props, script, view
from storefront.reflex_ext.numbers import grouped
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_counts, checked_id, checked_number

TITLE = _("Empacar")
MAX_LINES, MAX_UNITS, MAX_PARCELS = 500, 100_000, 100_000
"""Maximum values in the messages of a browser: order lines, units of a line, and fulfillments of an order."""
PICTURE_SIZES = "(min-width: 64rem) 20rem, 45vw"
PACKING_SCRIPT = script("office/packing")
TEXTS = {
    "unknown": _("Este código no es de este pedido"),
    "enough": _("De este ya están todos"),
    "camera": _("No se puede usar la cámara. Marca las líneas con el dedo."),
    "picture": _("Lo que ve la cámara"),
}
BUTTON = "button "
HELD_TEXT = _("El pago espera una decisión: no lo empaques todavía.")


class PackState(OfficeScreen, KnownClientState):
    """State of the packing screen. The order changes only when the staff member requests the next one."""

    content: rx.Field[PackView | None] = rx.field(None)

    _right: ClassVar[Right] = Right.FULFILL
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.ORDERS, Topic.ATTENTION})

    async def _read_content(self, actor: Actor) -> PackView:
        order_id = self._parameter_in_url("pedido")
        async with current_shop().database.read() as session:
            return await pack_view(session, actor, checked_id(order_id) if order_id else "")

    async def _refresh(self, actor: Actor) -> None:
        """Update the displayed order, but never replace it by another order."""
        await self._show_order(actor, self._order_id())

    @office_event(Right.FULFILL)
    async def create_label(self, actor: Actor, order_id: str) -> None:
        """Create the label for all units that are not packed yet."""
        shop, order_id = current_shop(), checked_id(order_id)
        outcome = await send_remaining_units(
            shop.database, actor, await shop.effective_settings.now(), shop.fulfillment_providers, order_id
        )
        self._announce(outcome.text, "news" if outcome.is_done else "problem")
        await self._show_order(actor, order_id)

    @office_event(Right.FULFILL)
    async def create_partial_label(
        self, actor: Actor, order_id: str, units: dict[str, int], seen_parcels: int
    ) -> None:
        """Create a label for these units, by line id; the rest stays to be packed."""
        shop, order_id = current_shop(), checked_id(order_id)
        outcome = await send_units(
            shop.database,
            actor,
            await shop.effective_settings.now(),
            shop.fulfillment_providers,
            order_id,
            units=checked_counts(units, MAX_LINES, MAX_UNITS),
            seen_parcels=checked_number(seen_parcels, 0, MAX_PARCELS),
        )
        self._announce(outcome.text, "news" if outcome.is_done else "problem")
        await self._show_order(actor, order_id)

    @office_event(Right.FULFILL, is_press=False)
    async def show_next(self, actor: Actor) -> None:
        """Show the next order.

        If the displayed order is still to be packed, it is skipped: the waiting order after it is shown. Otherwise,
        the order that has waited longest is shown.
        """
        shown = self.content.order if self.content else None
        after = shown.id if shown is not None and shown.state == "open" else ""
        await self._show_order(actor, "", after)

    async def _show_order(self, actor: Actor, order_id: str, after: str = "") -> None:
        async with current_shop().database.read() as session:
            content = await pack_view(session, actor, order_id, after=after)
        if content != self.content:
            self.content = content

    def _order_id(self) -> str:
        shown = self.content.order if self.content else None
        return shown.id if shown is not None else ""


class PackingForm(rx.Component):
    """Wrapper of the order that is being packed. It counts the packed units in the browser."""

    library = PACKING_SCRIPT
    tag = "PackingForm"
    lib_dependencies: list[str] = [ZXING]  # noqa: RUF012 - as Reflex declares it
    order: rx.Var[str]
    lines: rx.Var[list[Any]]
    texts: rx.Var[dict[str, str]]


@dataclass(frozen=True, slots=True)
class BoxState:
    """State of the box in which an order is packed.

    Attributes:
        counts: the packed units, by order line.
        is_complete: True if all units are packed.
        chosen: the packed units, by order line, while only a part of the order is packed; else empty.
        chosen_count: the number of units in `chosen`.
        message, tone: the message about the latest scanned code, and its tone.
        line: function of a line's id; returns the React props of the button that packs all of its units or none.
        less, more: the same for the buttons that pack one unit less or one more.
        camera: React props of the camera's button.
    """

    counts: dict[str, int]
    is_complete: bool
    chosen: dict[str, int]
    chosen_count: int
    message: str
    tone: str
    line: Any
    less: Any
    more: Any
    camera: Any


BOX: ObjectVar[BoxState] = view(PACKING_SCRIPT, "usePackingBox", BoxState)
VIEW = PackState.content
ORDER = VIEW.order


def page() -> rx.Component:
    """Render the packing screen."""
    nothing = empty_state(
        "check",
        _("Nada por empacar"),
        _("Lo que se pague aparece aquí, el más viejo primero."),
        rx.el.a(_("Ver los pedidos"), href=ORDERS, class_name=f"{BUTTON}button--small button--dark"),
    )
    content = rx.fragment(
        queue_line(),
        rx.cond(VIEW.order, order_panel(), rx.el.div(nothing, class_name="o-panel")),
    )
    return office_layout(
        PackState, PACK, TITLE, screen(PackState, content, skeleton()), class_name="o-packing"
    )


def queue_line() -> rx.Component:
    """Render the number of orders to pack, and the number of orders that staff must decide about first."""
    return rx.el.p(
        rx.cond(
            VIEW.waiting == 1,
            _("Espera 1 pedido."),
            _("Esperan {n} pedidos.").format(n=grouped(VIEW.waiting)),
        ),
        rx.cond(
            VIEW.doubtful > 0,
            rx.el.a(
                rx.cond(
                    VIEW.doubtful == 1,
                    _("1 con la guía en duda"),
                    _("{n} con la guía en duda").format(n=grouped(VIEW.doubtful)),
                ),
                href=ATTENTION,
                class_name="o-packing__doubt",
            ),
        ),
        rx.cond(
            VIEW.held > 0,
            rx.el.a(
                rx.cond(
                    VIEW.held == 1,
                    _("1 con el pago en duda"),
                    _("{n} con el pago en duda").format(n=grouped(VIEW.held)),
                ),
                href=ATTENTION,
                class_name="o-packing__doubt",
            ),
        ),
        class_name="o-packing__waiting",
    )


def order_panel() -> rx.Component:
    """Render the order: recipient, lines and label."""
    return rx.el.div(
        rx.el.div(
            rx.el.h2(_("Pedido {number}").format(number=ORDER.number), class_name="o-packing__number"),
            rx.el.p(
                ORDER.customer_name,
                " · ",
                rx.cond(ORDER.is_pickup, _("Recoge en tienda"), ORDER.town),
                rx.cond(ORDER.is_own, _(" · Entrega propia"), ""),
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
            ("open", open_order_panel()),
            ("packed", packed_panel()),
            ("doubt", stopped_panel(_("La guía espera una decisión: no la pidas otra vez."), is_doubt=True)),
            ("held", stopped_panel(HELD_TEXT, is_doubt=True)),
            ("busy", stopped_panel(_("Alguien está empacando este pedido en este momento."))),
            stopped_panel(_("Este pedido ya no se empaca: está cancelado o sin pago.")),
        ),
        key=ORDER.id,
        data_testid="pack-order",
    )


def open_order_panel() -> rx.Component:
    """Render the packed parcels, the lines to check off, and the buttons that create a label.

    If all lines are checked, the label is for the whole order. Before that, it is for the checked units only.
    """
    box = f"{ORDER.id}:{ORDER.parcels}"
    return PackingForm.create(
        rx.cond(
            ORDER.made.length() > 0,
            rx.el.ul(rx.foreach(ORDER.made, made_parcel), class_name="o-pack__made"),
        ),
        box_lines(),
        lines=ORDER.lines,
        order=box,
        texts=rx.Var.create(TEXTS),
        key=box,
    )


def box_lines() -> rx.Component:
    """Render the lines of the order, the camera's button, and the buttons that create the label."""

    def line(view: ObjectVar[PackLine]) -> rx.Component:
        counted = BOX.counts[view.id]
        return rx.el.li(
            rx.el.button(
                rx.cond(
                    view.picture,
                    picture(view.picture, PICTURE_SIZES, class_name="o-pack__picture", alt=""),
                    rx.el.span(icon("box", size=48), class_name="o-pack__picture o-item__picture--none"),
                ),
                rx.el.span(
                    rx.el.b(f"{view.units} ×", class_name="o-pack__units"),
                    rx.el.span(view.title, class_name="o-pack__title"),
                    rx.cond(view.detail != "", rx.el.span(view.detail, class_name="o-row__detail")),
                    rx.el.span(f"{counted} / {view.units}", class_name="o-pack__count"),
                    class_name="o-pack__words",
                ),
                rx.el.span(icon("check", size=28), class_name="o-pack__tick", aria_hidden="true"),
                type="button",
                special_props=[props(BOX.line, view.id)],
                class_name="o-pack__line",
                data_testid="pack-line",
            ),
            rx.cond(view.units > 1, box_steps(view)),
            key=view.id,
        )

    return rx.fragment(
        rx.el.div(
            rx.el.button(
                icon("camera", size=20),
                _("Leer códigos"),
                type="button",
                special_props=[BOX.camera],
                class_name=f"{BUTTON}button--small button--quiet",
                data_testid="pack-scan",
            ),
            rx.el.p(BOX.message, role="status", class_name="o-pack__said", data_tone=BOX.tone),
            class_name="o-pack__scan",
        ),
        rx.el.ul(rx.foreach(ORDER.lines, line), class_name="o-pack__lines"),
        SubmitOnce.create(label_buttons(), answers=answer_number(PackState)),
    )


def box_steps(view: ObjectVar[PackLine]) -> rx.Component:
    """Render the minus and plus buttons with which staff pack only some units of a line."""

    def step(text: str, label: str, step_props: Any, testid: str) -> rx.Component:
        return rx.el.button(
            text,
            type="button",
            special_props=[props(step_props, view.id)],
            aria_label=label.format(toy=view.title),
            class_name="o-sell__step",
            data_testid=testid,
        )

    return rx.el.div(
        rx.el.span(_("Solo una parte:"), class_name="o-row__detail"),
        step("−", _("Quitar una de {toy}"), BOX.less, "pack-less"),
        rx.el.span(BOX.counts[view.id], class_name="o-sell__count"),
        step("+", _("Agregar una de {toy}"), BOX.more, "pack-more"),
        class_name="o-sell__steps o-pack__steps",
    )


def label_buttons() -> rx.Component:
    """Render the buttons that create a label of all or of the checked units, and the button that skips the order."""
    return rx.el.div(
        rx.el.button(
            icon("tag", size=22),
            rx.cond(
                BUSY,
                rx.cond(ORDER.needs_label, _("Haciendo la guía…"), _("Guardando…")),
                rx.cond(ORDER.needs_label, _("Hacer la guía"), _("Empacado")),
            ),
            type="button",
            data_once="",
            disabled=~BOX.is_complete.to(bool),
            on_click=PackState.create_label(ORDER.id),
            class_name=f"{BUTTON}button--primary o-pack__label",
            data_testid="pack-label",
        ),
        rx.cond(
            BOX.chosen_count > 0,
            rx.el.button(
                icon("tag", size=20),
                rx.cond(
                    ORDER.needs_label,
                    _("Hacer la guía de lo marcado ({n})").format(n=grouped(BOX.chosen_count)),
                    _("Empacar solo lo marcado ({n})").format(n=grouped(BOX.chosen_count)),
                ),
                type="button",
                data_once="",
                on_click=PackState.create_partial_label(ORDER.id, BOX.chosen, ORDER.parcels),
                class_name=f"{BUTTON}button--dark o-pack__label",
                data_testid="pack-partial",
            ),
        ),
        rx.el.button(
            _("Dejar para después"),
            type="button",
            on_click=PackState.show_next,
            class_name=f"{BUTTON}button--small button--quiet",
            data_testid="pack-skip",
        ),
        class_name="o-pack__actions",
    )


def packed_panel() -> rx.Component:
    """Render a packed order: its label to print, and a button that shows the next order."""
    return rx.el.div(
        rx.el.div(
            icon("check", size=36),
            rx.el.p(
                rx.cond(ORDER.is_pickup, _("Está listo para recoger."), _("Está empacado.")),
                class_name="o-empty__title",
            ),
            rx.el.p(ORDER.packed_by, class_name="o-row__detail"),
            class_name="o-empty",
            role="status",
            data_testid="pack-done",
        ),
        rx.el.ul(rx.foreach(ORDER.made, made_parcel), class_name="o-pack__made"),
        rx.el.div(
            next_button(_("Siguiente")),
            class_name="o-pack__actions",
        ),
        class_name="o-panel",
    )


def made_parcel(parcel: ObjectVar[PackedParcel]) -> rx.Component:
    """Render a packed parcel: its number, a warning if it has a test label, and a link that prints the label."""
    return rx.el.li(
        rx.cond(
            parcel.guide != "",
            rx.el.b(_("Guía {guide}").format(guide=parcel.guide), data_testid="pack-guide"),
            rx.el.b(_("Paquete {reference}").format(reference=parcel.reference)),
        ),
        rx.cond(parcel.is_test, chip(_("Guía de prueba: nadie recoge el paquete"), "bad")),
        rx.cond(
            parcel.label_path != "",
            rx.el.a(
                icon("print", size=22),
                _("Imprimir la guía"),
                href=parcel.label_path,
                target="_blank",
                custom_attrs={"reloadDocument": True},
                class_name=f"{BUTTON}button--dark o-pack__label",
                data_testid="pack-print",
            ),
        ),
        key=parcel.id,
    )


def stopped_panel(text: str, *, is_doubt: bool = False) -> rx.Component:
    """Render the reason why the order cannot be packed now, and the button that shows the next order.

    With `is_doubt`, staff must first decide about the order: also render a link to the screen where they do this.
    """
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
        rx.el.div(*([decide] if is_doubt else []), next_button(_("Siguiente")), class_name="o-pack__actions"),
        class_name="o-panel",
    )


def next_button(label: str) -> rx.Component:
    """Render the button that shows the next order."""
    return rx.el.button(
        label,
        icon("right", size=22),
        type="button",
        on_click=PackState.show_next,
        class_name=f"{BUTTON}button--primary o-pack__label",
        data_testid="pack-next",
    )


def skeleton() -> rx.Component:
    """Render placeholders while the order loads."""
    return rx.el.div(
        rx.el.p(skeleton_bar("10rem"), class_name="o-packing__waiting"),
        rx.el.div(skeleton_bar("8rem", "1.5rem"), skeleton_bar("12rem"), class_name="o-packing__head"),
        rx.el.div(skeleton_bar("100%", "9rem"), class_name="o-panel"),
        aria_hidden="true",
    )
