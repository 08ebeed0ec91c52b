"""The layout of the packages: small folders, few modules in the roots, and every package in one tier."""

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
MAX_MODULES = 20
"""Modules of a folder, `__init__.py` and migrations aside."""
MAX_ROOT_MODULES = 8
MAX_TIERS = 9


def count_modules(root: str) -> Counter[str]:
    """Return the number of modules of each folder below `root`."""
    files = (ROOT / root).rglob("*.py")
    folders = (file.parent.relative_to(ROOT).as_posix() for file in files if file.name != "__init__.py")
    return Counter(folder for folder in folders if folder != "backend/migrations/versions")


def read_contracts(kind: str) -> list[dict[str, Any]]:
    """Return the import contracts of this type."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return [
        contract for contract in settings["tool"]["importlinter"]["contracts"] if contract["type"] == kind
    ]


@pytest.mark.parametrize("root", ["backend", "storefront"])
def test_no_folder_has_more_than_twenty_python_modules(root: str) -> None:
    assert {folder: count for folder, count in count_modules(root).items() if count > MAX_MODULES} == {}


def test_backend_root_has_few_modules() -> None:
    assert count_modules("backend")["backend"] <= MAX_ROOT_MODULES


def test_each_package_is_in_one_of_at_most_nine_tiers() -> None:
    (layers,) = read_contracts("layers")
    listed_packages = [name.strip() for layer in layers["layers"] for name in layer.split(":")]
    packages = {
        path.stem
        for path in (ROOT / "backend").iterdir()
        if path.name != "__init__.py" and (path.suffix == ".py" or (path / "__init__.py").exists())
    }
    assert len(layers["layers"]) <= MAX_TIERS
    assert sorted(listed_packages) == sorted(packages)


def test_packages_of_one_tier_do_not_import_each_other_except_as_listed() -> None:
    (layers,) = read_contracts("layers")
    tiers = [{f"backend.{name.strip()}" for name in layer.split(":")} for layer in layers["layers"]]
    independent = [set(contract["modules"]) for contract in read_contracts("independence")]
    assert [tier for tier in tiers if len(tier) > 1 and tier not in independent] == []
