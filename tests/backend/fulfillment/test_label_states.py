from itertools import product

import pytest

from backend.core.transitions import StepNotAllowed
from backend.fulfillment.label_states import STEPS, move
from backend.orders.models import Fulfillment
from backend.orders.states import LabelState


@pytest.mark.parametrize(("before", "after"), [*product(LabelState, LabelState)])
def test_label_state_changes_only_along_the_listed_transitions(before: LabelState, after: LabelState) -> None:
    one = Fulfillment(
        order_id="order_1", reference="1", location_id="sloc_1", provider_id="courier", state=before
    )
    if (before, after) in set(STEPS):
        move(one, after)
        assert one.state == after
    else:
        with pytest.raises(StepNotAllowed):
            move(one, after)
        assert one.state == before
