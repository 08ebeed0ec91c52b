"""Rights of staff by role, in one table. The owner can add custom roles: see `backend.staff.roles`.

Services that change or show something for staff take an `Actor` and check the right themselves. So the back office,
the Admin API and the command line have the same rules.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from backend.core.errors import Forbidden
from backend.core.texts import _

OFFICE = "/oficina"


class Role(StrEnum):
    """Built-in role of a staff member."""

    OWNER = "owner"
    SHOP = "shop"
    STOCKROOM = "stockroom"
    ACCOUNTANT = "accountant"


ROLE_NAMES: Mapping[str, str] = {
    Role.OWNER: _("Dueño"),
    Role.SHOP: _("Tienda"),
    Role.STOCKROOM: _("Bodega"),
    Role.ACCOUNTANT: _("Contabilidad"),
}


class Right(StrEnum):
    """A right of some roles. The value completes the sentence "The role may not …" in error messages."""

    READ_CATALOG = "see products, collections and categories"
    CHANGE_CATALOG = "change products, prices, collections and categories"
    CHANGE_PROMOTIONS = "change promotions and campaigns"
    CHANGE_CONTENT = "change the content of the shop's pages and mails"
    CHANGE_BRAND = "change the shop's logo, colours and headline"
    READ_STOCK = "see stock"
    CHANGE_STOCK = "change stock"
    READ_ORDERS = "see orders, payments and refunds"
    READ_CUSTOMERS = "see customers"
    CHANGE_CUSTOMERS = "change customers and their groups"
    CANCEL_ORDERS = "cancel orders"
    SELL = "sell at the counter and make payment links"
    EDIT_ORDERS = "change the products of a paid order"
    EXCEED_DISCOUNT = "give discounts beyond the shop's limit"
    FULFILL = "pack and ship orders"
    CAPTURE_PAYMENTS = "capture payments"
    HANDLE_RETURNS = "open and receive returns, and propose or deny refunds"
    BOOK_REFUNDS = "book refunds"
    READ_ATTENTION = "see attention rows"
    RESOLVE_ATTENTION = "resolve attention rows"
    READ_SETTINGS = "see locations, shipping options, regions, channels and keys"
    CHANGE_SETTINGS = "change locations, shipping options, regions, channels and keys"
    CHANGE_SHOP = "change the shop's data, limits, alerts, and payment and shipping providers"
    READ_INVOICES = "see invoices"
    RETRY_INVOICES = "retry invoices"
    READ_REPORTS = "see sales reports"
    READ_AUDIT = "see the audit"
    EXPORT_PERSONAL_DATA = "export personal data"
    ERASE_PERSONAL_DATA = "delete the personal data of a customer"
    CHANGE_STAFF = "see and change staff"


_SEES = frozenset(
    {
        Right.READ_CATALOG,
        Right.READ_STOCK,
        Right.READ_ORDERS,
        Right.READ_ATTENTION,
        Right.READ_SETTINGS,
    }
)
RIGHTS: Mapping[str, frozenset[Right]] = {
    Role.OWNER: frozenset(Right),
    Role.SHOP: _SEES
    | {
        Right.CHANGE_CATALOG,
        Right.CHANGE_PROMOTIONS,
        Right.CHANGE_CONTENT,
        Right.CHANGE_BRAND,
        Right.CHANGE_STOCK,
        Right.READ_CUSTOMERS,
        Right.CHANGE_CUSTOMERS,
        Right.CANCEL_ORDERS,
        Right.SELL,
        Right.EDIT_ORDERS,
        Right.FULFILL,
        Right.CAPTURE_PAYMENTS,
        Right.HANDLE_RETURNS,
        Right.RESOLVE_ATTENTION,
        Right.READ_INVOICES,
        Right.RETRY_INVOICES,
        Right.READ_REPORTS,
        Right.READ_AUDIT,
    },
    Role.STOCKROOM: _SEES | {Right.CHANGE_STOCK, Right.FULFILL},
    Role.ACCOUNTANT: _SEES
    | {
        Right.READ_CUSTOMERS,
        Right.EXPORT_PERSONAL_DATA,
        Right.READ_INVOICES,
        Right.READ_REPORTS,
        Right.READ_AUDIT,
    },
}
SECOND_FACTOR = frozenset(
    {
        Right.BOOK_REFUNDS,
        Right.CHANGE_SHOP,
        Right.CHANGE_STAFF,
        Right.ERASE_PERSONAL_DATA,
        Right.EXPORT_PERSONAL_DATA,
    }
)
"""Rights that also need the second factor."""
OWNER_RIGHTS = frozenset({Right.CHANGE_STAFF})
"""Rights that no custom role can have: with them, its members could give themselves every other right."""


class SecondFactorMissing(Forbidden):
    """The role has the right, but the right requires the second factor, and the sign-in used only a password."""

    staff_text = _("Para esto entra otra vez con el código de tu teléfono.")

    def __init__(self, right: Right) -> None:
        super().__init__(
            f"The second factor is needed to {right.value}: "
            f"sign in at the office ({OFFICE}) with a code and do it there"
        )


@dataclass(frozen=True, slots=True)
class CustomRole:
    """A role that the owner made: its name and its rights."""

    name: str
    rights: frozenset[Right]


@dataclass(frozen=True, slots=True)
class Actor:
    """The person or program that does something: a staff member, a secret key, the command line, or the shop itself.

    Attributes:
        id: the id of the staff member or key; for `COMMAND_LINE` and `SHOP` a fixed name.
        role: a `Role`, or the id of a custom role.
        session_id: id of the browser's session; empty with a bearer token.
        credential: id of what authorised the request: a session, a chain of bearer tokens, or a secret key.
        custom_role: the custom role; None for a built-in one.
    """

    id: str
    role: str
    has_second_factor: bool = False
    session_id: str = ""
    credential: str = ""
    custom_role: CustomRole | None = None

    @property
    def rights(self) -> frozenset[Right]:
        """The rights of the role; none if the role is unknown."""
        return self.custom_role.rights if self.custom_role else RIGHTS.get(self.role, frozenset())

    @property
    def role_name(self) -> str:
        """The name of the role."""
        return self.custom_role.name if self.custom_role else ROLE_NAMES.get(self.role, "")

    def may(self, right: Right) -> bool:
        """Return True if the role has this right.

        The second factor, which some rights need, is not checked: see `require`.
        """
        return right in self.rights

    def require_role(self, right: Right) -> None:
        """Check the role without the second factor: for reads, and where the second factor is checked later.

        Raises:
            Forbidden: the role does not have the right.
        """
        if not self.may(right):
            raise Forbidden(f"The role {self.role} may not {right.value}")

    def require(self, right: Right) -> None:
        """Check that the actor may do this. Every service that takes an actor may raise these errors.

        Raises:
            Forbidden: the role does not have the right.
            SecondFactorMissing: the right requires the second factor, and the actor signed in without it.
        """
        self.require_role(right)
        if right in SECOND_FACTOR and not self.has_second_factor:
            raise SecondFactorMissing(right)


COMMAND_LINE = Actor("command line", Role.OWNER, has_second_factor=True)
"""Actor of `trompo` commands. A person who can run them has access to the database anyway."""
SHOP = Actor("shop", Role.OWNER, has_second_factor=True)
"""Actor of jobs and events of the shop itself."""
