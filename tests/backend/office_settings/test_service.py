"""Settings saved by the office apply; all others come from the environment."""

import pytest

from backend.app import Shop
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import InvalidData
from backend.office_settings import demo_problems, read_effective_settings, save_settings
from backend.staff.rights import COMMAND_LINE


async def test_saved_setting_applies_immediately_and_can_be_changed(shop: Shop) -> None:
    assert (await shop.effective_settings.now()).store_name == "Trompo"
    for name in ("Ñandú", "Otra"):
        async with shop.database.transaction() as session:
            await save_settings(session, COMMAND_LINE, {"store_name": f"  {name} "})
        assert (await shop.effective_settings.now()).store_name == name
    assert (await shop.effective_settings.now()).store_phone == shop.settings.store_phone


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"secret_key": "x"}, "secret_key"),
        ({"store_name": ""}, "store_name"),
        ({"carrier_origin_dane_code": "11001"}, "carrier_origin_dane_code"),
        ({"store_whatsapp": "call me"}, "store_whatsapp"),
    ],
)
async def test_invalid_setting_is_refused_by_name(
    database: Database, settings: Settings, changes: dict[str, str], wrong: str
) -> None:
    with pytest.raises(InvalidData) as refused:
        async with database.transaction() as session:
            await save_settings(session, COMMAND_LINE, changes)
    assert list(refused.value.fields) == [wrong]
    async with database.read() as session:
        assert await read_effective_settings(session, settings) == settings


def test_each_setting_with_a_demo_value_is_reported_on_its_own_line(settings: Settings) -> None:
    assert [str(problem).split()[0] for problem in demo_problems(settings)] == [
        "STORE_LEGAL_NAME", "STORE_NIT", "STORE_PHONE", "STORE_EMAIL", "CARRIER_ORIGIN_ADDRESS,",
    ]  # fmt: skip
