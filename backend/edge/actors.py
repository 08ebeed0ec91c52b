"""Who can be asking: somebody with a token that was good."""

from dataclasses import dataclass

USER, CUSTOMER = "user", "customer"


@dataclass(frozen=True, slots=True)
class Actor:
    """Somebody whose token was good: `id` is theirs among the actors of this `type`.

    `identity` is the login they proved; a customer may have one before there is a customer, and then no `id`.
    A token of an earlier `epoch` than the customer's is worth nothing.
    """

    id: str
    type: str
    identity: str = ""
    epoch: int = 0
