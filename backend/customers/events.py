"""Events of accounts, for the packages that send mails about them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ResetAsked:
    """A new password was asked for. The address may have no account."""

    address: str


@dataclass(frozen=True, slots=True)
class PasswordChosen:
    """The account with this address has a new password. Published in the transaction that stores it."""

    address: str


@dataclass(frozen=True, slots=True)
class PasswordChanged:
    """A customer who had an account has a new password."""

    customer_id: str
