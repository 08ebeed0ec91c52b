import pytest

from storefront.plugins.own_origin import ANCHOR, OWN_ORIGIN, with_own_origin


def test_the_rule_stands_once_right_after_the_address_is_parsed(state_js: str) -> None:
    changed = with_own_origin(state_js)
    assert changed.count("window.location.origin") == 1
    assert ANCHOR + OWN_ORIGIN in changed


def test_a_second_build_adds_nothing(state_js: str) -> None:
    assert with_own_origin(with_own_origin(state_js)) == with_own_origin(state_js)


@pytest.mark.parametrize("source", ["", f"{ANCHOR}{ANCHOR}"])
def test_a_script_it_does_not_know_stops_the_build(source: str) -> None:
    with pytest.raises(RuntimeError, match=r"own_origin\.py in line with the installed Reflex"):
        with_own_origin(source)
