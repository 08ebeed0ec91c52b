"""Custom roles on the office's team screen: their rights in words, and examples."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.texts import _, format_count
from backend.staff.rights import OWNER_RIGHTS, ROLE_NAMES, Actor, Right
from backend.staff.roles import list_roles

RIGHT_FIELD = "right:"
"""Prefix of the names of checkboxes; the name of the right follows."""
RIGHT_GROUPS = {
    _("Vender"): {
        "SELL": _("Vender en el mostrador y hacer enlaces de pago"),
        "EXCEED_DISCOUNT": _("Dar descuentos por encima del límite"),
        "READ_ORDERS": _("Ver pedidos, pagos y devoluciones de dinero"),
        "CAPTURE_PAYMENTS": _("Marcar pagos como recibidos"),
        "CANCEL_ORDERS": _("Cancelar pedidos"),
        "READ_CUSTOMERS": _("Ver clientes"),
        "CHANGE_CUSTOMERS": _("Cambiar clientes y sus grupos"),
        "CHANGE_PROMOTIONS": _("Hacer y terminar ofertas"),
    },
    _("Despachar"): {
        "FULFILL": _("Empacar y despachar pedidos"),
        "READ_STOCK": _("Ver unidades"),
        "CHANGE_STOCK": _("Cambiar unidades"),
        "HANDLE_RETURNS": _("Abrir y recibir devoluciones, y proponer el reembolso"),
        "BOOK_REFUNDS": _("Devolver dinero"),
    },
    _("Tienda"): {
        "READ_CATALOG": _("Ver productos, ofertas y categorías"),
        "CHANGE_CATALOG": _("Cambiar productos, precios y categorías"),
        "CHANGE_BRAND": _("Cambiar el logo, los colores y el titular"),
        "CHANGE_CONTENT": _("Cambiar los textos de páginas y correos"),
        "READ_ATTENTION": _("Ver lo que está por resolver"),
        "RESOLVE_ATTENTION": _("Resolver pendientes"),
    },
    _("Cuentas y datos"): {
        "READ_INVOICES": _("Ver facturas"),
        "RETRY_INVOICES": _("Reintentar facturas"),
        "READ_REPORTS": _("Ver informes de ventas"),
        "READ_AUDIT": _("Ver la auditoría"),
        "EXPORT_PERSONAL_DATA": _("Descargar datos de clientes"),
        "ERASE_PERSONAL_DATA": _("Borrar los datos de un cliente"),
    },
    _("Ajustes"): {
        "READ_SETTINGS": _("Ver bodegas, envíos y llaves"),
        "CHANGE_SETTINGS": _("Cambiar bodegas, envíos y llaves"),
        "CHANGE_SHOP": _("Cambiar los datos de la tienda, los pagos y los envíos"),
    },
}
"""Rights that a custom role can have, in words, by the names of the rights."""
EXAMPLES = {
    "caja": (
        _("Cajera o cajero"),
        ("SELL", "READ_ORDERS", "CAPTURE_PAYMENTS", "READ_CUSTOMERS", "READ_STOCK", "READ_CATALOG"),
    ),
    "atencion": (
        _("Servicio al cliente"),
        (
            "READ_ORDERS", "READ_CUSTOMERS", "CHANGE_CUSTOMERS", "HANDLE_RETURNS", "READ_STOCK", "READ_CATALOG",
            "READ_ATTENTION",
        ),
    ),
    "redes": (_("Redes y ofertas"), ("READ_CATALOG", "CHANGE_PROMOTIONS", "CHANGE_CONTENT")),
}  # fmt: skip
"""Examples of roles: the name, and the names of the rights."""


@dataclass(frozen=True, slots=True)
class RightBox:
    """A checkbox of a right."""

    name: str
    label: str
    is_ticked: bool


@dataclass(frozen=True, slots=True)
class RightGroup:
    """Checkboxes under a heading."""

    title: str
    boxes: list[RightBox]


@dataclass(frozen=True, slots=True)
class RoleForm:
    """The form of a custom role, with an empty `id` if it is new.

    Attributes:
        seen: the names of the stored rights, separated by spaces.
        users: the number of staff members and invitations, in words; empty for none.
    """

    id: str
    name: str
    groups: list[RightGroup]
    seen: str = ""
    detail: str = ""
    users: str = ""


@dataclass(frozen=True, slots=True)
class RoleOption:
    """An option of a role field."""

    value: str
    label: str


async def read_role_forms(session: AsyncSession, actor: Actor) -> list[RoleForm]:
    """Return the forms of all custom roles.

    Raises:
        Forbidden: the actor may not see staff.
    """
    return [
        RoleForm(
            id=role.id,
            name=role.name,
            groups=build_right_groups(role.rights),
            seen=" ".join(sorted(right.name for right in role.rights)),
            detail=format_count(len(role.rights), _("{n} permiso"), _("{n} permisos")),
            users=format_count(role.users, _("{n} persona"), _("{n} personas")) if role.users else "",
        )
        for role in await list_roles(session, actor)
    ]


def build_example_form(example: str) -> RoleForm:
    """Return the form of a new role, with the values of this example; empty if there is no such example."""
    name, rights = EXAMPLES.get(example, ("", ()))
    return RoleForm("", name, build_right_groups(parse_ticked_rights(dict.fromkeys(rights, "on"), prefix="")))


def build_right_groups(ticked: Collection[Right]) -> list[RightGroup]:
    """Return the checkboxes of all rights that a custom role can have."""
    return [
        RightGroup(
            title,
            [
                RightBox(name, label, Right[name] in ticked)
                for name, label in labels.items()
                if name in Right.__members__
            ],
        )
        for title, labels in RIGHT_GROUPS.items()
    ]


def list_right_fields() -> list[str]:
    """Return the names of the checkboxes of rights."""
    return [RIGHT_FIELD + right.name for right in Right if right not in OWNER_RIGHTS]


def parse_ticked_rights(typed: Mapping[str, str], prefix: str = RIGHT_FIELD) -> frozenset[Right]:
    """Return the rights whose checkboxes are ticked."""
    ticked = {name.removeprefix(prefix) for name, value in typed.items() if value == "on"}
    return frozenset(right for right in Right if right.name in ticked)


def list_role_options(forms: Collection[RoleForm]) -> list[RoleOption]:
    """Return the options of a role field: the built-in roles, then the custom ones."""
    built_in = [RoleOption(str(role), name) for role, name in ROLE_NAMES.items()]
    return [*built_in, *(RoleOption(form.id, form.name) for form in forms)]
