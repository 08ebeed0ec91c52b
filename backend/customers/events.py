"""Events of accounts, for packages that send mails about them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ResetRequested:
    """Event: a link for a new password was requested for this address. The address may have no account."""

    address: str


@dataclass(frozen=True, slots=True)
class PasswordChosen:
    """Event: a password was set for the account with this address. The account may be new.

    Published in the transaction that stores the password.
    """

    address: str


@dataclass(frozen=True, slots=True)
class PasswordChanged:
    """Event: the password of an existing account was replaced. It is not published for a new account."""

    customer_id: str
