"""The screen of categories: the tree in which staff create, move and hide categories."""

from typing import Any, ClassVar

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.catalog.categories import MovePosition, change_category, move_category
from backend.catalog.schemas.admin import CategoryChange
from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.news.topics import Topic
from backend.office.catalog.category_page import CategoriesPage, CategoryRow, categories_page
from backend.office.catalog.category_saving import MAX_NAME_CHARS, add_category
from backend.staff.rights import Actor, Right
from storefront.components.forms import SubmitOnce
from storefront.office.catalog.group_parts import MovableRows, group_option, group_row, move_button
from storefront.office.catalog.group_state import describe_visibility
from storefront.office.components.feedback import empty_state, screen
from storefront.office.components.forms import office_field, office_select
from storefront.office.layout import office_layout
from storefront.office.navigation import CATEGORIES
from storefront.office.state import OfficeScreen, answer_number, has_right, office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields, checked_id

TITLE = _("Categorías")


class CategoriesState(OfficeScreen, KnownClientState):
    """State of the screen of categories: the tree of categories."""

    content: rx.Field[CategoriesPage | None] = rx.field(None)
    created_count: rx.Field[int] = rx.field(0)
    """Number of categories that this page created; the form is emptied when it increases."""

    _right: ClassVar[Right] = Right.READ_CATALOG
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.CATEGORIES})

    async def _read_content(self, actor: Actor) -> CategoriesPage:
        async with current_shop().database.read() as session:
            return await categories_page(session, actor)

    @office_event(Right.CHANGE_CATALOG)
    async def create(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Create a category with the typed name, inside the chosen parent category."""
        typed = checked_fields(form_data, "name", "parent_id")
        async with current_shop().database.transaction() as session:
            await add_category(session, actor, typed["name"], typed["parent_id"])
        self.created_count += 1
        await self._announce_done(actor, _("Categoría creada. Ábrela para ponerle productos y foto."))

    @office_event(Right.CHANGE_CATALOG)
    async def move(self, actor: Actor, category_id: str, place: str, target_id: str) -> None:
        """Move a category before, after or into another one."""
        if place not in list(MovePosition):
            raise InvalidData("not a place")
        moved, target = checked_id(category_id), checked_id(target_id)
        async with current_shop().database.transaction() as session:
            category = await move_category(session, actor, moved, MovePosition(place), target)
            name = category.name
        await self._announce_done(actor, _("Moviste «{name}».").format(name=name))

    @office_event(Right.CHANGE_CATALOG)
    async def set_active(self, actor: Actor, category_id: str, is_active: bool) -> None:
        """Show or hide a category."""
        change = CategoryChange(is_active=is_active is True)
        async with current_shop().database.transaction() as session:
            category = await change_category(session, actor, checked_id(category_id), change)
            name = category.name
        await self._announce_done(actor, describe_visibility(name, is_active is True))


VIEW = CategoriesState.content


def page() -> rx.Component:
    """Render the screen of categories: a form for a new category, and the tree."""
    nothing = rx.el.div(
        empty_state("blocks", _("Todavía no hay categorías"), _("Crea la primera arriba.")),
        class_name="o-panel",
    )
    content = rx.el.div(
        rx.cond(has_right(Right.CHANGE_CATALOG), new_form()),
        rx.cond(
            VIEW.rows.length() > 0,
            MovableRows.create(
                rx.el.ul(rx.foreach(VIEW.rows, category_row), class_name="o-list", aria_label=TITLE),
                on_move=CategoriesState.move,
            ),
            nothing,
        ),
        class_name="o-tree",
    )
    return office_layout(CategoriesState, CATEGORIES, TITLE, screen(CategoriesState, content))


def new_form() -> rx.Component:
    """Render the form of a new category."""
    form = rx.el.form(
        office_field(
            CategoriesState,
            "new",
            "name",
            _("Categoría nueva"),
            max_length=MAX_NAME_CHARS,
            auto_complete="off",
            enter_key_hint="done",
        ),
        office_select(
            CategoriesState,
            "new",
            "parent_id",
            _("Dentro de"),
            [rx.el.option(_("Ninguna"), value=""), rx.foreach(VIEW.options, group_option)],
        ),
        rx.el.button(
            _("Crear"),
            type="submit",
            class_name="button button--small button--primary",
            data_testid="category-new",
        ),
        no_validate=True,
        on_submit=CategoriesState.create,
        class_name="o-panel o-tree__new",
    )
    return SubmitOnce.create(
        form, answers=answer_number(CategoriesState), empties=CategoriesState.created_count
    )


def category_row(row: ObjectVar[CategoryRow]) -> rx.Component:
    """Render a category, indented below its parent."""

    def label(words: str) -> Any:
        return words.format(name=row.name)

    def buttons() -> rx.Component:
        return rx.fragment(
            move_button("after", row.parent_id, "left", label(_("Sacar «{name}» un nivel"))),
            move_button("inside", row.previous_id, "right", label(_("Meter «{name}» en la de arriba"))),
            move_button("before", row.previous_id, "left", label(_("Subir «{name}»")), "o-tree__turn"),
            move_button("after", row.next_id, "right", label(_("Bajar «{name}»")), "o-tree__turn"),
        )

    return group_row(
        row,
        f"{CATEGORIES}/{row.id}",
        CategoriesState,
        buttons,
        style={"--depth": row.depth},
        data_testid="category-row",
    )
