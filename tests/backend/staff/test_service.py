"""Passwords of staff, and the owner that the first start creates."""

import pytest
from pydantic import SecretStr
from sqlalchemy import select

from backend.app import Shop
from backend.core.errors import InvalidData
from backend.core.web.passwords import MAX_LENGTH, MIN_STAFF_LENGTH
from backend.staff import service
from backend.staff.models import Staff
from backend.staff.rights import Role
from backend.staff.service import create_first_staff, require_strong_password

LETTERS = "trompo y yoyo "


def make_password(length: int) -> str:
    return (LETTERS * length)[:length]


@pytest.mark.parametrize(
    ("length", "is_allowed"),
    [
        (MIN_STAFF_LENGTH - 1, False),
        (MIN_STAFF_LENGTH, True),
        (MAX_LENGTH, True),
        (MAX_LENGTH + 1, False),
    ],
)
def test_length_of_a_password_is_limited(length: int, is_allowed: bool) -> None:
    if is_allowed:
        require_strong_password(make_password(length))
    else:
        with pytest.raises(InvalidData) as refused:
            require_strong_password(make_password(length), field="new_password")
        assert refused.value.fields.keys() == {"new_password"}


async def test_first_owner_is_created_once(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = shop.settings.model_copy(
        update={"admin_email": "ana@trompo.example", "admin_password": SecretStr(make_password(20))}
    )
    assert not await create_first_staff(shop.database, shop.settings)
    assert await create_first_staff(shop.database, settings)
    assert not await create_first_staff(shop.database, settings)

    async def has_no_staff(_session: object) -> bool:
        return False

    monkeypatch.setattr(service, "has_staff", has_no_staff)  # another replica creates the owner now
    assert not await create_first_staff(shop.database, settings)
    async with shop.database.read() as session:
        rows = (await session.execute(select(Staff.email, Staff.role))).all()
    assert [tuple(row) for row in rows] == [("ana@trompo.example", Role.OWNER)]
