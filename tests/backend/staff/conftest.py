"""Staff members and their credentials."""

import pytest

from backend.app import Shop
from backend.staff.rights import COMMAND_LINE, Role
from backend.staff.service import create_staff
from tests.backend.customers.conftest import new_browser  # noqa: F401 - a fixture

PASSWORD = "una clave larga"


@pytest.fixture
async def staff(shop: Shop) -> dict[Role, str]:
    """Create one member of each role with the address `<role>@trompo.example`; return their ids."""
    return {
        role: await create_staff(shop.database, COMMAND_LINE, f"{role}@trompo.example", PASSWORD, role)
        for role in Role
    }


def credentials(role: Role = Role.OWNER) -> dict[str, str]:
    """Return the credentials of the member with this role."""
    return {"email": f"{role}@trompo.example", "password": PASSWORD}
