"""The screens of collections: the list in which staff create, move and hide them, and the editor of a collection."""

from typing import Any, ClassVar

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.catalog.collections import delete_collection, move_collection, set_collection_display
from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.news.topics import Topic
from backend.office.catalog.category_saving import MAX_NAME_CHARS
from backend.office.catalog.collections import (
    CollectionForm,
    CollectionListRow,
    CollectionPage,
    CollectionsPage,
    add_collection,
    collection_page,
    collections_page,
    save_collection,
    save_collection_picture,
)
from backend.staff.rights import Actor, Right
from storefront.components.forms import SubmitOnce
from storefront.office.catalog.group_parts import (
    MAX_FIELD_LENGTH,
    MovableRows,
    editor_head,
    group_row,
    handle_field,
    move_button,
    name_fields,
    picture_panel,
    products_field,
)
from storefront.office.catalog.group_state import GroupPictureScreen, describe_visibility
from storefront.office.components.feedback import empty_state, screen
from storefront.office.components.forms import confirm_button, edit_form, office_field
from storefront.office.components.history import history_panel
from storefront.office.icons import icon
from storefront.office.layout import office_layout
from storefront.office.navigation import COLLECTIONS
from storefront.office.state import OfficeScreen, answer_number, has_right, office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields, checked_id

TITLE = _("Colecciones")
EDITOR_TITLE = _("Colección")
PLACES = {"before": False, "after": True}
"""True if the moved collection comes after its target, by the place that a page sends."""


class CollectionsState(OfficeScreen, KnownClientState):
    """State of the list of collections: the collections in their order."""

    content: rx.Field[CollectionsPage | None] = rx.field(None)
    created_count: rx.Field[int] = rx.field(0)
    """Number of collections that this page created; the form is emptied when it increases."""

    _right: ClassVar[Right] = Right.READ_CATALOG
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.CATEGORIES})

    async def _read_content(self, actor: Actor) -> CollectionsPage:
        async with current_shop().database.read() as session:
            return await collections_page(session, actor)

    @office_event(Right.CHANGE_CATALOG)
    async def create(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Create a collection with the typed name."""
        typed = checked_fields(form_data, "name")
        async with current_shop().database.transaction() as session:
            await add_collection(session, actor, typed["name"])
        self.created_count += 1
        await self._announce_done(actor, _("Colección creada. Ábrela para ponerle productos."))

    @office_event(Right.CHANGE_CATALOG)
    async def move(self, actor: Actor, collection_id: str, place: str, target_id: str) -> None:
        """Move a collection before or after another one."""
        if not isinstance(place, str) or place not in PLACES:
            raise InvalidData("not a place")
        moved, target = checked_id(collection_id), checked_id(target_id)
        async with current_shop().database.transaction() as session:
            collection = await move_collection(session, actor, moved, target, is_after=PLACES[place])
            name = collection.title
        await self._announce_done(actor, _("Moviste «{name}».").format(name=name))

    @office_event(Right.CHANGE_CATALOG)
    async def set_active(self, actor: Actor, collection_id: str, is_active: bool) -> None:
        """Show or hide a collection."""
        async with current_shop().database.transaction() as session:
            collection = await set_collection_display(
                session, actor, checked_id(collection_id), is_active=is_active is True
            )
            name = collection.title
        await self._announce_done(actor, describe_visibility(name, is_active is True))


class CollectionState(GroupPictureScreen, KnownClientState):
    """State of a collection's editor."""

    content: rx.Field[CollectionPage | None] = rx.field(None)

    _right: ClassVar[Right] = Right.READ_CATALOG

    async def _read_content(self, actor: Actor) -> CollectionPage:
        async with current_shop().database.read() as session:
            return await collection_page(session, actor, self._id_in_url())

    async def _save_picture(self, session: Any, actor: Actor, picture: str) -> None:
        await save_collection_picture(session, actor, self._id_in_url(), picture)

    @office_event(Right.CHANGE_CATALOG)
    async def save(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Save the fields of the collection."""
        names = ("name", "handle", "description", "is_active", "product_ids", "seen")
        typed = checked_fields(form_data, *names, max_length=MAX_FIELD_LENGTH)
        form = CollectionForm(
            name=typed["name"],
            handle=typed["handle"],
            description=typed["description"],
            is_active=typed["is_active"] == "on",
            product_ids=typed["product_ids"],
        )
        self.problems = {}
        async with current_shop().database.transaction() as session:
            await save_collection(session, actor, self._id_in_url(), form, typed["seen"])
        await self._announce_done(actor, _("Guardada. Ya se ve así en la tienda."))

    @office_event(Right.CHANGE_CATALOG)
    async def delete(self, actor: Actor) -> Any:
        """Delete the collection. Its products stay, without a collection."""
        async with current_shop().database.transaction() as session:
            await delete_collection(session, actor, self._id_in_url())
        self._announce(_("Colección borrada."))
        return rx.redirect(COLLECTIONS, replace=True)


ROWS = CollectionsState.content.rows
VIEW = CollectionState.content


def page() -> rx.Component:
    """Render the list of collections."""
    nothing = rx.el.div(
        empty_state("blocks", _("Todavía no hay colecciones"), _("Crea la primera arriba.")),
        class_name="o-panel",
    )
    content = rx.el.div(
        rx.el.p(
            _(
                "Un grupo de productos con su página, para una sección del inicio o una oferta."
                " Un producto está en una sola."
            ),
            class_name="o-row__detail",
        ),
        rx.cond(has_right(Right.CHANGE_CATALOG), new_form()),
        rx.cond(
            ROWS.length() > 0,
            MovableRows.create(
                rx.el.ul(rx.foreach(ROWS, collection_row), class_name="o-list", aria_label=TITLE),
                on_move=CollectionsState.move,
            ),
            nothing,
        ),
        class_name="o-tree",
    )
    return office_layout(CollectionsState, COLLECTIONS, TITLE, screen(CollectionsState, content))


def new_form() -> rx.Component:
    """Render the form of a new collection."""
    form = rx.el.form(
        office_field(
            CollectionsState,
            "new",
            "name",
            _("Colección nueva"),
            max_length=MAX_NAME_CHARS,
            auto_complete="off",
            enter_key_hint="done",
        ),
        rx.el.button(_("Crear"), type="submit", class_name="button button--small button--primary"),
        no_validate=True,
        on_submit=CollectionsState.create,
        class_name="o-panel o-tree__new",
    )
    return SubmitOnce.create(
        form, answers=answer_number(CollectionsState), empties=CollectionsState.created_count
    )


def collection_row(row: ObjectVar[CollectionListRow]) -> rx.Component:
    """Render a collection of the list."""

    def buttons() -> rx.Component:
        up, down = _("Subir «{name}»").format(name=row.name), _("Bajar «{name}»").format(name=row.name)
        return rx.fragment(
            move_button("before", row.previous_id, "left", up, "o-tree__turn"),
            move_button("after", row.next_id, "right", down, "o-tree__turn"),
        )

    return group_row(row, f"{COLLECTIONS}/{row.id}", CollectionsState, buttons, data_testid="collection-row")


def editor_page() -> rx.Component:
    """Render the editor of the collection in the URL."""
    form = edit_form(
        CollectionState,
        CollectionState.save,
        rx.el.fieldset(
            rx.el.div(
                name_fields(CollectionState, VIEW),
                products_field(CollectionState, VIEW),
                class_name="o-panel o-toy__part",
            ),
            rx.el.div(handle_field(CollectionState, VIEW), class_name="o-panel"),
            disabled=~has_right(Right.CHANGE_CATALOG),
            class_name="o-toy__fields",
        ),
        shown_values=VIEW.version,
        key=VIEW.id,
        class_name="o-form",
    )
    delete = confirm_button(
        _("Borrar esta colección"),
        _("Sus productos se quedan en la tienda, sin colección."),
        _("Sí, borrar"),
        CollectionState.delete,
    )
    content = rx.el.div(
        rx.el.a(
            icon("left", size=18), _("Todas las colecciones"), href=COLLECTIONS, class_name="o-disclosure"
        ),
        editor_head(VIEW),
        form,
        picture_panel(
            CollectionState,
            VIEW,
            _("Se ve, con la descripción, en su página y en la sección del inicio que la muestra."),
        ),
        rx.cond(
            has_right(Right.CHANGE_CATALOG),
            rx.el.section(
                SubmitOnce.create(delete, answers=answer_number(CollectionState)),
                class_name="o-panel o-section",
            ),
        ),
        history_panel(VIEW.id),
        class_name="o-content",
    )
    return office_layout(CollectionState, COLLECTIONS, EDITOR_TITLE, screen(CollectionState, content))
