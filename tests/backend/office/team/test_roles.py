"""The rights of custom roles in words, and the examples."""

from backend.office.team.roles import (
    EXAMPLES,
    RIGHT_GROUPS,
    build_example_form,
    build_right_groups,
    parse_ticked_rights,
)
from backend.staff.rights import OWNER_RIGHTS, Right


def test_every_right_that_a_role_can_have_has_one_checkbox() -> None:
    rights = [right for labels in RIGHT_GROUPS.values() for right in labels]
    assert len(rights) == len(set(rights))
    assert set(Right) - OWNER_RIGHTS == set(rights)
    boxes = [box for group in build_right_groups({Right.FULFILL}) for box in group.boxes]
    assert [box.name for box in boxes if box.is_ticked] == ["FULFILL"]


def test_example_roles_have_rights_and_an_unknown_example_is_empty() -> None:
    for name in EXAMPLES:
        form = build_example_form(name)
        assert form.name
        assert any(box.is_ticked for group in form.groups for box in group.boxes)
    assert build_example_form("otro").name == ""


def test_only_ticked_rights_are_read_from_the_form() -> None:
    typed = {"right:FULFILL": "on", "right:READ_ORDERS": "", "right:NO_SUCH_RIGHT": "on", "name": "on"}
    assert parse_ticked_rights(typed) == {Right.FULFILL}
