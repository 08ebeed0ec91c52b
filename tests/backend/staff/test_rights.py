"""The rights of each role, and the errors without one.

| role | rights |
|---|---|
| owner | all |
| shop | sells: catalog, stock, orders, customers, content, reports; no refunds, settings of the shop or staff |
| stockroom | packs and counts |
| accountant | reads orders, customers, invoices and reports; exports |
"""

import pytest

from backend.core.errors import Forbidden
from backend.staff.rights import COMMAND_LINE, SECOND_FACTOR, SHOP, Actor, Right, Role, SecondFactorMissing

EVERYBODY = {"READ_CATALOG", "READ_STOCK", "READ_ORDERS", "READ_ATTENTION", "READ_SETTINGS"}
OWNER_ONLY = {
    "BOOK_REFUNDS",
    "CHANGE_SETTINGS",
    "CHANGE_SHOP",
    "ERASE_PERSONAL_DATA",
    "CHANGE_STAFF",
    "EXCEED_DISCOUNT",
}
EXPECTED = {
    Role.OWNER: set(Right.__members__),
    Role.SHOP: set(Right.__members__) - OWNER_ONLY - {"EXPORT_PERSONAL_DATA"},
    Role.STOCKROOM: EVERYBODY | {"CHANGE_STOCK", "FULFILL"},
    Role.ACCOUNTANT: EVERYBODY
    | {"READ_CUSTOMERS", "EXPORT_PERSONAL_DATA", "READ_INVOICES", "READ_REPORTS", "READ_AUDIT"},
}
SENSITIVE = OWNER_ONLY - {"CHANGE_SETTINGS", "EXCEED_DISCOUNT"} | {"EXPORT_PERSONAL_DATA"}


@pytest.mark.parametrize("role", Role)
def test_role_has_exactly_the_expected_rights(role: Role) -> None:
    actor = Actor("user_1", role, has_second_factor=True)
    assert {right.name for right in Right if actor.may(right)} == EXPECTED[role]
    for right in Right:
        if right.name in EXPECTED[role]:
            actor.require(right)
        else:
            for check in (actor.require, actor.require_role):
                with pytest.raises(Forbidden) as refused:
                    check(right)
                assert not isinstance(refused.value, SecondFactorMissing)


@pytest.mark.parametrize("right", Right)
def test_sensitive_rights_need_the_second_factor(right: Right) -> None:
    owner = Actor("user_1", Role.OWNER)
    assert (right in SECOND_FACTOR) == (right.name in SENSITIVE)
    owner.require_role(right)
    if right.name in SENSITIVE:
        with pytest.raises(SecondFactorMissing, match=right.value):
            owner.require(right)
    else:
        owner.require(right)


def test_command_line_and_the_shop_itself_have_every_right() -> None:
    for actor in (COMMAND_LINE, SHOP):
        for right in Right:
            actor.require(right)
