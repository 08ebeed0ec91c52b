"""Who of the staff may do what: one table of rights and roles.

Services that change something for staff, or show them something, take an `Actor` and check the right themselves, so
that the office, the Admin API and the command line have the same rules.
"""

from dataclasses import dataclass
from enum import StrEnum

from backend.core.errors import Forbidden
from backend.core.texts import _

OFFICE = "/oficina"


class Role(StrEnum):
    """What somebody's work in the shop is."""

    OWNER = "owner"
    SHOP = "shop"
    STOCKROOM = "stockroom"
    ACCOUNTANT = "accountant"


ROLE_NAMES = {
    Role.OWNER: _("Dueño"),
    Role.SHOP: _("Tienda"),
    Role.STOCKROOM: _("Bodega"),
    Role.ACCOUNTANT: _("Contabilidad"),
}


class Right(StrEnum):
    """Something that not everybody may do. The value says what, for people."""

    READ_CATALOG = "see products, collections and categories"
    CHANGE_CATALOG = "change products, prices, collections and categories"
    CHANGE_PROMOTIONS = "change promotions and campaigns"
    CHANGE_CONTENT = "change what the shop's pages and mails say"
    READ_STOCK = "see stock"
    CHANGE_STOCK = "change stock"
    READ_ORDERS = "see orders, payments and refunds"
    READ_CUSTOMERS = "see customers"
    CHANGE_CUSTOMERS = "change customers and their groups"
    CANCEL_ORDERS = "cancel orders"
    FULFILL = "pack and ship orders"
    CAPTURE_PAYMENTS = "capture payments"
    HANDLE_RETURNS = "open returns, receive them, and propose or deny the money"
    BOOK_REFUNDS = "give money back"
    READ_ATTENTION = "see what must be resolved"
    RESOLVE_ATTENTION = "resolve it"
    READ_SETTINGS = "see locations, shipping options, regions, channels and keys"
    CHANGE_SETTINGS = "change locations, shipping options, regions, channels and keys"
    CHANGE_SHOP = "change the shop's own data, its bounds and notices, and how one pays and ships"
    READ_INVOICES = "see invoices"
    RETRY_INVOICES = "have an invoice tried again"
    READ_REPORTS = "see what the shop earned"
    READ_AUDIT = "see who did what"
    EXPORT_PERSONAL_DATA = "take personal data out"
    ERASE_PERSONAL_DATA = "delete what is held on a customer"
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
RIGHTS: dict[Role, frozenset[Right]] = {
    Role.OWNER: frozenset(Right),
    Role.SHOP: _SEES
    | {
        Right.CHANGE_CATALOG,
        Right.CHANGE_PROMOTIONS,
        Right.CHANGE_CONTENT,
        Right.CHANGE_STOCK,
        Right.READ_CUSTOMERS,
        Right.CHANGE_CUSTOMERS,
        Right.CANCEL_ORDERS,
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
"""What a password alone does not open, whoever has it."""


class SecondFactorMissing(Forbidden):
    """The person may do it, but this sign-in was proved by a password only."""

    staff_text = _("Para esto entra otra vez con el código de tu teléfono.")

    def __init__(self, right: Right) -> None:
        super().__init__(
            f"The second factor is needed to {right.value}: "
            f"sign in at the office ({OFFICE}) with a code and do it there"
        )


@dataclass(frozen=True, slots=True)
class Actor:
    """Who does something: a member of staff as signed in at this moment, the command line, or the shop by itself.

    Attributes:
        id: the member's id; what `COMMAND_LINE` and `SHOP` say otherwise.
        session_id: of the browser's session; empty with a bearer token.
        credential: the session, chain of bearer tokens or secret key that the request was authorised by.
    """

    id: str
    role: Role
    has_second_factor: bool = False
    session_id: str = ""
    credential: str = ""

    def may(self, right: Right) -> bool:
        """Whether the role has this right; some also need the second factor: see `require`."""
        return right in RIGHTS[self.role]

    def require_role(self, right: Right) -> None:
        """Check the role alone, where more is checked before anything happens.

        Raises:
            Forbidden: the role has no such right.
        """
        if not self.may(right):
            raise Forbidden(f"The role {self.role} may not {right.value}")

    def require(self, right: Right) -> None:
        """Check that the actor may do this. Every service that takes an actor raises these errors.

        Raises:
            Forbidden: the role has no such right.
            SecondFactorMissing: it has, but needs the second factor for it, and this sign-in has none.
        """
        self.require_role(right)
        if right in SECOND_FACTOR and not self.has_second_factor:
            raise SecondFactorMissing(right)


COMMAND_LINE = Actor("command line", Role.OWNER, has_second_factor=True)
"""Whoever may run `trompo` on the shop's machine has its database anyhow."""
SHOP = Actor("shop", Role.OWNER, has_second_factor=True)
"""The shop by itself: jobs and events."""
