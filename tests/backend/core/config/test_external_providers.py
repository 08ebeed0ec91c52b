"""Providers outside the program: what the setting names is imported, created and checked in one line."""

import sys
from types import ModuleType

import pytest

from backend.core.config.external_providers import create_external_provider
from backend.core.config.settings import Settings
from backend.core.errors import CannotStart
from backend.payment.providers.base import PaymentProvider
from backend.payment.providers.system_default import SystemDefault


class OwnProvider(SystemDefault):
    """A provider of another package."""

    id = "own_bank"

    def __init__(self, settings: Settings) -> None:
        self.settings = settings


class BrokenProvider(OwnProvider):
    """A provider that cannot be created, because one of its settings is missing."""

    def __init__(self, settings: Settings) -> None:
        raise ValueError(f"OWN_BANK_KEY is missing in {settings.data_dir.name}\nand more lines")


@pytest.fixture(autouse=True)
def _package(monkeypatch: pytest.MonkeyPatch) -> None:
    package = ModuleType("own_package")
    vars(package).update(OwnProvider=OwnProvider, BrokenProvider=BrokenProvider, Other=42)
    monkeypatch.setitem(sys.modules, "own_package", package)


def test_provider_is_created_with_the_settings_of_the_shop(settings: Settings) -> None:
    provider = create_external_provider(PaymentProvider, "own_bank", "own_package:OwnProvider", settings)
    assert isinstance(provider, OwnProvider)
    assert provider.settings is settings


@pytest.mark.parametrize(
    ("provider_id", "place", "problem"),
    [
        ("own_bank", "no_package:OwnProvider", "ModuleNotFoundError: No module named 'no_package'"),
        ("own_bank", "own_package:Nothing", "AttributeError: "),
        ("own_bank", "own_package:BrokenProvider", "ValueError: OWN_BANK_KEY is missing"),
        ("own_bank", "own_package:Other", "TypeError: "),
        ("other_bank", "own_package:OwnProvider", "has the id own_bank, not other_bank"),
    ],
)
def test_provider_that_cannot_be_created_is_reported_in_one_line(
    provider_id: str, place: str, problem: str, settings: Settings
) -> None:
    with pytest.raises(CannotStart) as stopped:
        create_external_provider(PaymentProvider, provider_id, place, settings)
    (line,) = str(stopped.value).splitlines()
    assert line.startswith("Trompo cannot start: ")
    assert problem in line


def test_external_provider_of_another_class_is_refused(settings: Settings) -> None:
    vars(sys.modules["own_package"])["Other"] = lambda _settings: {}
    with pytest.raises(CannotStart, match="is no PaymentProvider"):
        create_external_provider(PaymentProvider, "own_bank", "own_package:Other", settings)
