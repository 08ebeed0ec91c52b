"""Events of accounts, for packages that send mails about them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ResetRequested:
    """A link for a new password was requested for this address. The address may have no account."""

    address: str


@dataclass(frozen=True, slots=True)
class PasswordChosen:
    """The account with this address has a new password. Published in the transaction that stores it."""

    address: str


@dataclass(frozen=True, slots=True)
class PasswordChanged:
    """A customer with an existing account has a new password."""

    customer_id: str
