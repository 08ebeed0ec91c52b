"""Components of custom roles on the staff screen: a form of rights by tick, and its examples."""

from typing import Any

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

from backend.core.texts import _
from backend.office.team.roles import EXAMPLES, RIGHT_FIELD, RightBox, RightGroup, RoleForm, RoleOption
from backend.staff.rights import Role
from storefront.components.forms import SubmitOnce, select_field
from storefront.office.components.feedback import chip
from storefront.office.components.forms import hidden_field, office_field
from storefront.office.components.history import history_panel
from storefront.office.components.lists import fold_row
from storefront.office.icons import icon
from storefront.office.state import answer_number
from storefront.office.team.state import TeamState
from storefront.reflex_ext.hooks import text_at

VIEW = TeamState.content
BUTTON = "button button--small "


def role_options(*first: rx.Component) -> list[rx.Component]:
    """Return the options of a field with all roles."""

    def option(role: ObjectVar[RoleOption]) -> rx.Component:
        return rx.el.option(role.label, value=role.value, key=role.value)

    return [*first, rx.foreach(VIEW.role_options, option)]


def roles_section() -> rx.Component:
    """Render the custom roles, and the form of a new one."""
    return rx.el.section(
        rx.el.h2(_("Roles propios"), class_name="o-section__title"),
        rx.el.p(
            _(
                "Dueño, Tienda, Bodega y Contabilidad no cambian. Aquí haces otros, con los permisos que marques."
            ),
            class_name="o-row__detail",
        ),
        rx.el.ul(rx.foreach(VIEW.roles, role_row), class_name="o-list", aria_label=_("Roles propios")),
        new_role_panel(),
        class_name="o-section o-roles",
    )


def role_row(form: ObjectVar[RoleForm]) -> rx.Component:
    """Render a custom role and, when it is expanded, its form."""
    return fold_row(
        rx.el.summary(
            rx.el.span(
                rx.el.span(form.name, class_name="o-row__title"),
                rx.el.span(form.detail, class_name="o-row__detail"),
                class_name="o-audit__what",
            ),
            rx.cond(form.users != "", chip(form.users)),
            icon("down", size=20),
            class_name="o-audit__head",
        ),
        rx.el.div(
            role_form(form),
            delete_form(form),
            history_panel(form.id, "o-history__box"),
            class_name="o-audit__body",
        ),
        row_id=form.id,
        data_testid="role-row",
    )


def new_role_panel() -> rx.Component:
    """Render the form of a new role, and buttons that fill it in with an example."""
    examples = [
        rx.el.button(
            name,
            type="button",
            class_name=f"{BUTTON}button--quiet",
            on_click=TeamState.use_example(key),
            data_testid=f"role-example-{key}",
        )
        for key, (name, _rights) in EXAMPLES.items()
    ]
    return rx.el.details(
        rx.el.summary(
            rx.el.span(icon("plus", size=20), _("Nuevo rol"), class_name="o-stock__receive"),
            icon("down", size=20),
            class_name="o-audit__head",
            data_testid="role-new",
        ),
        rx.el.div(
            rx.el.div(
                rx.el.span(_("Empieza con un ejemplo:"), class_name="o-row__detail"),
                *examples,
                class_name="o-offers__templates",
            ),
            rx.cond(TeamState.new_role, role_form(TeamState.new_role)),
            class_name="o-audit__body",
        ),
        class_name="o-panel o-stock__box",
    )


def role_form(form: Any) -> rx.Component:
    """Render the name and the rights of a role."""

    def right_box(box: ObjectVar[RightBox]) -> rx.Component:
        return rx.el.label(
            rx.el.input(
                type="checkbox",
                name=RIGHT_FIELD + box.name.to(str),
                default_checked=box.is_ticked,
                class_name="o-box",
            ),
            rx.el.span(box.label),
            key=box.name,
            class_name="o-every",
        )

    def right_group(group: ObjectVar[RightGroup]) -> rx.Component:
        return rx.el.fieldset(
            rx.el.legend(group.title, class_name="field__label"),
            rx.foreach(group.boxes.to(ArrayVar, list[RightBox]), right_box),
            key=group.title,
            class_name="o-roles__group",
        )

    problem = text_at(TeamState.problems, "rights")
    fields = rx.el.form(
        hidden_field("id", form.id),
        hidden_field("seen", form.seen),
        office_field(
            TeamState,
            f"role-name-{form.id}",
            "name",
            _("Nombre"),
            default_value=form.name,
            auto_complete="off",
        ),
        rx.foreach(form.groups.to(ArrayVar, list[RightGroup]), right_group),
        rx.cond(problem, rx.el.p(icon("warning", size=18), problem, class_name="field__problem")),
        rx.el.button(
            _("Guardar rol"), type="submit", class_name=f"{BUTTON}button--dark", data_testid="role-save"
        ),
        key=f"role-{form.id}-{form.name}-{form.seen}-{TeamState.role_count}",
        no_validate=True,
        class_name="o-form o-roles__form",
        on_submit=TeamState.save_role,
        data_testid="role-form",
    )
    return SubmitOnce.create(fields, answers=answer_number(TeamState))


def delete_form(form: ObjectVar[RoleForm]) -> rx.Component:
    """Render the form that deletes a role and asks which role its members and invitations get instead."""

    def option(role: ObjectVar[RoleOption]) -> rx.Component:
        is_possible = (role.value != form.id) & (role.value != str(Role.OWNER))
        return rx.cond(is_possible, rx.el.option(role.label, value=role.value, key=role.value))

    move = select_field(
        _("Quienes lo tienen pasan a"),
        [rx.el.option(_("Elige un rol"), value=""), rx.foreach(VIEW.role_options, option)],
        element_id=f"role-move-{form.id}",
        problem=text_at(TeamState.problems, "none"),
        live="",
        name="move_to",
        default_value="",
    )
    delete = rx.el.form(
        hidden_field("id", form.id),
        rx.cond(form.users != "", move),
        rx.el.button(
            _("Sí, borrarlo"), type="submit", class_name=f"{BUTTON}button--dark", data_testid="role-delete"
        ),
        no_validate=True,
        class_name="o-form o-roles__form",
        on_submit=TeamState.delete_role,
    )
    return rx.el.details(
        rx.el.summary(_("Borrar este rol"), class_name="o-disclosure"),
        SubmitOnce.create(delete, answers=answer_number(TeamState)),
    )
