"""Events of returns, for the packages that send e-mails about them."""

from dataclasses import dataclass

from backend.returns.states import ReturnState


@dataclass(frozen=True, slots=True)
class ReturnMoved:
    """The return `return_id` has changed to `state`. Published in the transaction of the change."""

    return_id: str
    state: ReturnState
