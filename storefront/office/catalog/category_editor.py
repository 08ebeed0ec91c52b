"""The editor of a category: its name, place, picture and products, and its deletion."""

from typing import Any, ClassVar

import reflex as rx

from backend.app import current_shop
from backend.core.texts import _
from backend.office.catalog.category_page import CategoryPage, category_page
from backend.office.catalog.category_saving import (
    CategoryForm,
    remove_category,
    save_category,
    save_category_picture,
)
from backend.staff.rights import Actor, Right
from storefront.components.forms import SubmitOnce
from storefront.office.catalog.group_parts import (
    FORM,
    MAX_FIELD_LENGTH,
    editor_head,
    group_option,
    handle_field,
    name_fields,
    picture_panel,
    products_field,
)
from storefront.office.catalog.group_state import GroupPictureScreen
from storefront.office.components.feedback import screen
from storefront.office.components.forms import edit_form, office_select
from storefront.office.components.history import history_panel
from storefront.office.icons import icon
from storefront.office.layout import office_layout
from storefront.office.navigation import CATEGORIES
from storefront.office.state import answer_number, has_right, office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields

TITLE = _("Categoría")


class CategoryState(GroupPictureScreen, KnownClientState):
    """State of a category's editor."""

    content: rx.Field[CategoryPage | None] = rx.field(None)

    _right: ClassVar[Right] = Right.READ_CATALOG

    async def _read_content(self, actor: Actor) -> CategoryPage:
        async with current_shop().database.read() as session:
            return await category_page(session, actor, self._id_in_url())

    async def _save_picture(self, session: Any, actor: Actor, picture: str) -> None:
        await save_category_picture(session, actor, self._id_in_url(), picture)

    @office_event(Right.CHANGE_CATALOG)
    async def save(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Save the fields of the category."""
        names = ("name", "handle", "description", "parent_id", "is_active", "product_ids", "seen")
        typed = checked_fields(form_data, *names, max_length=MAX_FIELD_LENGTH)
        form = CategoryForm(
            name=typed["name"],
            handle=typed["handle"],
            description=typed["description"],
            parent_id=typed["parent_id"],
            is_active=typed["is_active"] == "on",
            product_ids=typed["product_ids"],
        )
        self.problems = {}
        async with current_shop().database.transaction() as session:
            await save_category(session, actor, self._id_in_url(), form, typed["seen"])
        await self._announce_done(actor, _("Guardada. Ya se ve así en la tienda."))

    @office_event(Right.CHANGE_CATALOG)
    async def delete(self, actor: Actor, form_data: dict[str, str]) -> Any:
        """Delete the category. The category chosen as `heir_id` gets its products and its address."""
        typed = checked_fields(form_data, "heir_id")
        async with current_shop().database.transaction() as session:
            await remove_category(session, actor, self._id_in_url(), typed["heir_id"])
        self._announce(_("Categoría borrada."))
        return rx.redirect(CATEGORIES, replace=True)


VIEW = CategoryState.content


def page() -> rx.Component:
    """Render the editor of the category in the URL."""
    content = rx.el.div(
        rx.el.a(icon("left", size=18), _("Todas las categorías"), href=CATEGORIES, class_name="o-disclosure"),
        editor_head(VIEW),
        editor_form(),
        picture_panel(CategoryState, VIEW, _("Sin foto, la tienda muestra la de su primer producto.")),
        rx.cond(has_right(Right.CHANGE_CATALOG), delete_panel()),
        history_panel(VIEW.id),
        class_name="o-content",
    )
    return office_layout(CategoryState, CATEGORIES, TITLE, screen(CategoryState, content))


def editor_form() -> rx.Component:
    """Render the category's fields, which are saved together."""
    parent = office_select(
        CategoryState,
        FORM,
        "parent_id",
        _("Dentro de"),
        [rx.el.option(_("Ninguna"), value=""), rx.foreach(VIEW.parents, group_option)],
        default_value=VIEW.parent_id,
        data_now=VIEW.parent_id,
    )
    fields = rx.el.fieldset(
        rx.el.div(
            name_fields(CategoryState, VIEW),
            parent,
            products_field(CategoryState, VIEW),
            class_name="o-panel o-toy__part",
        ),
        rx.el.div(handle_field(CategoryState, VIEW), class_name="o-panel"),
        disabled=~has_right(Right.CHANGE_CATALOG),
        class_name="o-toy__fields",
    )
    return edit_form(
        CategoryState, CategoryState.save, fields, shown_values=VIEW.version, key=VIEW.id, class_name="o-form"
    )


def delete_panel() -> rx.Component:
    """Render the form that deletes the category and asks which one takes over its products and address."""
    form = rx.el.form(
        rx.cond(
            VIEW.has_children,
            rx.el.p(_("Primero mueve o borra las categorías que tiene dentro.")),
            rx.fragment(
                office_select(
                    CategoryState,
                    FORM,
                    "heir_id",
                    _("Sus productos y su dirección pasan a"),
                    [rx.el.option(_("Ninguna"), value=""), rx.foreach(VIEW.heirs, group_option)],
                    default_value=VIEW.parent_id,
                ),
                rx.el.button(
                    _("Borrar esta categoría"),
                    type="submit",
                    class_name="button button--small button--dark",
                    data_testid="category-delete",
                ),
            ),
        ),
        no_validate=True,
        on_submit=CategoryState.delete,
        class_name="o-tree__delete",
    )
    return rx.el.details(
        rx.el.summary(_("Borrar la categoría"), class_name="o-disclosure"),
        SubmitOnce.create(form, answers=answer_number(CategoryState)),
        class_name="o-panel o-section",
    )
