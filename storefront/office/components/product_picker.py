"""The product picker of the office's forms.

    product_picker("product_ids", _("Productos"), VIEW.products, most=MAX_PRODUCTS)

The field's value has the ids of the chosen products, separated by spaces: `parse_picked_ids` of
`backend.office.product_picker` reads it. `VIEW.products` are the stored ones, which `read_picker_rows` reads.
"""

from dataclasses import replace
from typing import Any

import reflex as rx

from backend.app import current_shop
from backend.core.texts import _
from backend.office.product_picker import (
    MAX_TEXT_LENGTH,
    PickerPage,
    find_products_to_pick,
    read_picker_categories,
)
from backend.office.products.listing import CategoryOption
from backend.staff.rights import Actor, Right
from storefront.components.react_components import on_nothing
from storefront.office.react_components import ZXING
from storefront.office.state import AnnouncingState, office_event
from storefront.reflex_ext.hooks import script
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_text

DEBOUNCE_MS = 150
MAX_ROWS = 400
"""Maximum number of rows of a list. A person who has seen so many has to search."""
TEXTS = {
    "open": _("Elegir productos"),
    "close": _("Cerrar la lista"),
    "search": _("Nombre, palabra o código…"),
    "scan": _("Escanear"),
    "category": _("Categoría"),
    "every": _("Todas las categorías"),
    "results": _("Productos que puedes elegir"),
    "chosen": _("Productos elegidos"),
    "remove": _("Quitar {product}"),
    "others": _("y {n} más"),
    "more": _("Ver más"),
    "all": _("Elegir los {n} de la lista"),
    "nothing": _("Ningún producto coincide."),
    "unknown": _("Ningún producto tiene «{code}»."),
    "one": _("1 producto elegido"),
    "count": _("{n} productos elegidos"),
    "full": _("No caben más productos aquí."),
    "camera": _("No pudimos abrir la cámara. Escribe el código."),
    "picture": _("Lo que ve la cámara"),
}


def on_search(text: rx.Var[str], category: rx.Var[str]) -> list[rx.Var[str]]:
    """Declare an event with the searched text and the handle of a category."""
    return [text, category]


class ProductPicker(rx.Component):
    """The picker's field and its list of products: see `assets/scripts/office/picker.jsx`."""

    library = script("office/picker")
    tag = "ProductPicker"
    lib_dependencies: list[str] = [ZXING]  # noqa: RUF012 - as Reflex declares it

    name: rx.Var[str]
    label: rx.Var[str]
    texts: rx.Var[dict[str, str]]
    chosen: rx.Var[Any]
    page: rx.Var[Any]
    categories: rx.Var[Any]
    most: rx.Var[int]
    problem: rx.Var[str]
    on_find: rx.EventHandler[on_search]  # type: ignore[type-arg, valid-type]
    on_more: rx.EventHandler[on_nothing]  # type: ignore[type-arg, valid-type]


class ProductPickerState(AnnouncingState, KnownClientState):
    """State of the open product picker: the results of its latest search, and the categories to filter by."""

    page: rx.Field[PickerPage | None] = rx.field(None)
    categories: rx.Field[list[CategoryOption]] = rx.field(default_factory=list)

    @office_event(Right.READ_CATALOG, supersedes=True, debounce=DEBOUNCE_MS)
    async def find(self, actor: Actor, text: str, category: str) -> None:
        """Search products by words or a code. With a `category`, only products in it are found."""
        text, category = checked_text(text, MAX_TEXT_LENGTH), checked_text(category, MAX_TEXT_LENGTH)
        async with current_shop().database.read() as session:
            categories = await read_picker_categories(session, actor)
            self.page = await find_products_to_pick(session, actor, text, category)
        if categories != self.categories:
            self.categories = categories

    @office_event(Right.READ_CATALOG, supersedes=True)
    async def load_more(self, actor: Actor) -> None:
        """Add the next page of the latest search."""
        page = self.page
        if page is None or not page.cursor:
            return
        async with current_shop().database.read() as session:
            following = await find_products_to_pick(session, actor, page.text, page.category, page.cursor)
        rows = [*page.rows, *following.rows]
        self.page = replace(page, rows=rows, cursor=following.cursor if len(rows) < MAX_ROWS else "")


def product_picker(name: str, label: str, chosen: Any, *, most: int, problem: Any = "") -> rx.Component:
    """Render a form field in which staff choose products.

    Args:
        name: the name of the form field.
        label: its visible label.
        chosen: the stored products: `PickerRow`s.
        most: the maximum number of products.
        problem: an error message; empty if there is none.
    """
    return ProductPicker.create(
        name=name,
        label=label,
        texts=rx.Var.create(TEXTS),
        chosen=chosen,
        page=ProductPickerState.page,
        categories=ProductPickerState.categories,
        most=most,
        problem=problem,
        on_find=ProductPickerState.find,
        on_more=ProductPickerState.load_more,
    )
