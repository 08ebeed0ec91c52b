import pytest
from reflex_base import constants

from storefront.plugins.own_origin import ANCHOR, STATE_JS, with_own_origin, without_own_origin


@pytest.fixture
def generated() -> str:
    """The script of the installed Reflex, before anybody changed it."""
    return (constants.Templates.Dirs.WEB_TEMPLATE / STATE_JS).read_text()


def test_the_rule_stands_once_right_after_the_address_is_parsed(generated: str) -> None:
    changed = with_own_origin(generated)
    assert changed.count("window.location.origin") == 1
    assert ANCHOR + "  // own-origin: begin\n" in changed


def test_a_second_build_adds_nothing(generated: str) -> None:
    assert with_own_origin(with_own_origin(generated)) == with_own_origin(generated)


def test_development_gets_the_script_as_reflex_wrote_it(generated: str) -> None:
    assert without_own_origin(with_own_origin(generated)) == generated
    assert without_own_origin(generated) == generated


@pytest.mark.parametrize("source", ["", f"{ANCHOR}{ANCHOR}"])
def test_a_script_it_does_not_know_stops_the_build(source: str) -> None:
    with pytest.raises(RuntimeError, match=r"own_origin\.py in line with the installed Reflex"):
        with_own_origin(source)
