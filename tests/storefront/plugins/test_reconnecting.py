"""What a new connection says is shown in one piece. That pages stay as they are is seen in the browser's tests."""

import pytest

from storefront.plugins.reconnecting import CHANGES, IMPORT, in_one_piece


def test_every_change_passes_through_one_place(state_js: str) -> None:
    changed = in_one_piece(state_js)
    assert changed.startswith(IMPORT)
    assert all(changed.count(ours) == 1 for ours in CHANGES.values())
    assert "dispatch[substate](" in state_js
    assert "dispatch[substate](" not in changed


def test_a_second_build_changes_nothing(state_js: str) -> None:
    assert in_one_piece(in_one_piece(state_js)) == in_one_piece(state_js)


def test_a_script_it_does_not_know_stops_the_build(state_js: str) -> None:
    for source in ("", state_js.replace("bootAuth(false)", "bootAuth()"), state_js + state_js):
        with pytest.raises(RuntimeError, match=r"reconnecting\.py in line with the installed Reflex"):
            in_one_piece(source)
