from enum import StrEnum

import pytest

from backend.core.transitions import StepNotAllowed, Transitions


class Light(StrEnum):
    RED = "red"
    GREEN = "green"
    OFF = "off"


STEPS = Transitions(
    "light", {Light.RED: frozenset({Light.GREEN, Light.OFF}), Light.GREEN: frozenset({Light.RED})}
)


def test_only_listed_state_transitions_are_allowed() -> None:
    allowed = {(source, target) for source in Light for target in Light if STEPS.is_allowed(source, target)}
    assert allowed == set(STEPS) == {("red", "green"), ("red", "off"), ("green", "red")}
    assert STEPS.require(Light.RED, Light.OFF) is Light.OFF
    with pytest.raises(StepNotAllowed, match="light: no step leads from off to red"):
        STEPS.require(Light.OFF, Light.RED)


def test_state_without_transitions_is_final() -> None:
    assert [state for state in Light if STEPS.is_final(state)] == [Light.OFF]
