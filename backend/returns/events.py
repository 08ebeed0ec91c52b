"""Events of returns, for the packages that send mails about them."""

from dataclasses import dataclass

from backend.returns.states import ReturnState


@dataclass(frozen=True, slots=True)
class ReturnMoved:
    """A return is in this state now. Published in the transaction that puts it there."""

    return_id: str
    state: ReturnState
