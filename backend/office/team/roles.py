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
        Right.SELL: _("Vender en el mostrador y hacer enlaces de pago"),
        Right.EXCEED_DISCOUNT: _("Dar descuentos por encima del límite"),
        Right.EDIT_ORDERS: _("Cambiar los productos de un pedido pagado"),
        Right.READ_ORDERS: _("Ver pedidos, pagos y devoluciones de dinero"),
        Right.CAPTURE_PAYMENTS: _("Marcar pagos como recibidos"),
        Right.CANCEL_ORDERS: _("Cancelar pedidos"),
        Right.READ_CUSTOMERS: _("Ver clientes"),
        Right.CHANGE_CUSTOMERS: _("Cambiar clientes y sus grupos"),
        Right.CHANGE_PROMOTIONS: _("Hacer y terminar ofertas"),
    },
    _("Despachar"): {
        Right.FULFILL: _("Empacar y despachar pedidos"),
        Right.READ_STOCK: _("Ver unidades"),
        Right.CHANGE_STOCK: _("Cambiar unidades"),
        Right.HANDLE_RETURNS: _("Abrir y recibir devoluciones, y proponer el reembolso"),
        Right.BOOK_REFUNDS: _("Devolver dinero"),
    },
    _("Tienda"): {
        Right.READ_CATALOG: _("Ver productos, ofertas y categorías"),
        Right.CHANGE_CATALOG: _("Cambiar productos, precios y categorías"),
        Right.CHANGE_BRAND: _("Cambiar el logo, los colores y el titular"),
        Right.CHANGE_CONTENT: _("Cambiar los textos de páginas y correos"),
        Right.READ_ATTENTION: _("Ver lo que está por resolver"),
        Right.RESOLVE_ATTENTION: _("Resolver pendientes"),
    },
    _("Cuentas y datos"): {
        Right.READ_INVOICES: _("Ver facturas"),
        Right.RETRY_INVOICES: _("Reintentar facturas"),
        Right.READ_REPORTS: _("Ver informes de ventas"),
        Right.READ_AUDIT: _("Ver la auditoría"),
        Right.EXPORT_PERSONAL_DATA: _("Descargar datos de clientes"),
        Right.ERASE_PERSONAL_DATA: _("Borrar los datos de un cliente"),
    },
    _("Ajustes"): {
        Right.READ_SETTINGS: _("Ver bodegas, envíos y llaves"),
        Right.CHANGE_SETTINGS: _("Cambiar bodegas, envíos y llaves"),
        Right.CHANGE_SHOP: _("Cambiar los datos de la tienda, los pagos y los envíos"),
    },
}
"""Rights that a custom role can have, in words."""
EXAMPLES = {
    "caja": (
        _("Cajera o cajero"),
        (
            Right.SELL,
            Right.READ_ORDERS,
            Right.CAPTURE_PAYMENTS,
            Right.READ_CUSTOMERS,
            Right.READ_STOCK,
            Right.READ_CATALOG,
        ),
    ),
    "atencion": (
        _("Servicio al cliente"),
        (
            Right.READ_ORDERS,
            Right.READ_CUSTOMERS,
            Right.CHANGE_CUSTOMERS,
            Right.HANDLE_RETURNS,
            Right.READ_STOCK,
            Right.READ_CATALOG,
            Right.READ_ATTENTION,
        ),
    ),
    "redes": (_("Redes y ofertas"), (Right.READ_CATALOG, Right.CHANGE_PROMOTIONS, Right.CHANGE_CONTENT)),
}
"""Examples of roles: the name and the rights."""


@dataclass(frozen=True, slots=True)
class RightBox:
    """A checkbox of a right."""

    name: str
    label: str
    is_ticked: bool


@dataclass(frozen=True, slots=True)
class RightGroup:
    """The checkboxes of rights under one heading."""

    title: str
    boxes: list[RightBox]


@dataclass(frozen=True, slots=True)
class RoleForm:
    """The form of a custom role, with an empty `id` if it is new.

    Attributes:
        seen: the names of the stored rights, separated by spaces.
        users: the number of staff members and invitations with the role, in words; empty for none.
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
    return RoleForm("", name, build_right_groups(rights))


def build_right_groups(ticked: Collection[Right]) -> list[RightGroup]:
    """Return the checkboxes of all rights that a custom role can have."""
    return [
        RightGroup(
            title,
            [RightBox(right.name, label, right in ticked) for right, label in labels.items()],
        )
        for title, labels in RIGHT_GROUPS.items()
    ]


def list_right_fields() -> list[str]:
    """Return the names of the checkboxes of rights."""
    return [RIGHT_FIELD + right.name for right in Right if right not in OWNER_RIGHTS]


def parse_ticked_rights(typed: Mapping[str, str]) -> frozenset[Right]:
    """Return the rights whose checkboxes are ticked."""
    return frozenset(right for right in Right if typed.get(RIGHT_FIELD + right.name) == "on")


def list_role_options(forms: Collection[RoleForm]) -> list[RoleOption]:
    """Return the options of a role field: the built-in roles, then the custom ones."""
    built_in = [RoleOption(str(role), name) for role, name in ROLE_NAMES.items()]
    return [*built_in, *(RoleOption(form.id, form.name) for form in forms)]
