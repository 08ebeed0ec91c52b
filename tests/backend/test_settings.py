"""Settings: all optional, wrong ones stop the start with one line, and no secret shows (design: section 4)."""

import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pydantic import SecretStr

from backend.settings import (
    GATEWAY_CREDENTIALS,
    LEAST_BITS,
    Settings,
    SettingsError,
    bits_of,
    kept_secret,
    load_settings,
)

SECRET = "00112233445566778899aabbccddeeff"
PRODUCTION = {
    "GATEWAY_ENV": "production",
    "P_CUST_ID_CLIENTE": "1",
    "P_KEY": "pkey-secret",
    "PUBLIC_KEY": "public",
    "PRIVATE_KEY": SECRET,
    "PUBLIC_URL": "https://tienda.example",
    "SECRET_KEY": "FLqPVu1WwY0dJ8aT-9sBxkZ3mCeRnHgOi5y_2tQ7lKo",
    "CARRIER_API_KEY": "carrier-secret",
}


def _with(monkeypatch: pytest.MonkeyPatch, **environment: str) -> Settings:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return load_settings()


def test_without_any_environment_the_sandbox_answers() -> None:
    settings = load_settings()
    assert settings.uses_sandbox_gateway
    assert settings.uses_sandbox_carrier
    assert settings.base_url == "http://localhost:3000"
    assert settings.async_database_url.startswith("sqlite+aiosqlite:///")


def test_production_with_all_its_settings_uses_nothing_of_the_sandbox(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = _with(monkeypatch, **PRODUCTION)
    assert not settings.uses_sandbox_gateway
    assert not settings.uses_sandbox_carrier


@pytest.mark.parametrize("missing", [name for name in PRODUCTION if name != "GATEWAY_ENV"])
def test_production_does_not_start_with_a_setting_missing(
    monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    with pytest.raises(SettingsError, match=missing):
        _with(monkeypatch, **{name: value for name, value in PRODUCTION.items() if name != missing})


@pytest.mark.parametrize("given", GATEWAY_CREDENTIALS)
def test_half_of_the_gateway_credentials_are_a_mistake(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    with pytest.raises(SettingsError, match="missing"):
        _with(monkeypatch, **{given: PRODUCTION[given]})


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("PORT", "70000"),
        ("PORT", "three"),
        ("WORKERS", "0"),
        ("WORKERS", "2"),
        ("PUBLIC_URL", "tienda.example"),
        ("GATEWAY_ENV", "live"),
        ("PRIVATE_KEY", "not-hexadecimal-secret"),
        ("STORE_LOCALE", "fr"),
        ("CARRIER_ORIGIN_DANE_CODE", "11001"),
        ("DATABASE_URL", "mysql://ana:secret@db/shop"),
        ("DATABASE_URL", "postgresql+psycopg2://ana:secret@db/shop"),
        ("DATABASE_URL", "postgresql://ana:secret@db:port/shop"),
        ("DATABASE_URL", "postgresql://ana:secret@db"),
        ("DATABASE_URL", "sqlite://"),
        ("DATABASE_URL", "secret"),
    ],
)
def test_a_malformed_setting_stops_the_start_with_one_line_that_names_it(
    monkeypatch: pytest.MonkeyPatch, name: str, wrong: str
) -> None:
    with pytest.raises(SettingsError) as stopped:
        _with(monkeypatch, **{name: wrong})
    line = str(stopped.value)
    assert line.startswith("Trompo cannot start: ")
    assert name in line
    assert "\n" not in line
    assert "secret" not in line


def test_no_secret_shows_in_a_repr(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = repr(
        _with(monkeypatch, **PRODUCTION, ADMIN_PASSWORD="admin-secret", GOOGLE_CLIENT_SECRET="google-secret")
    )
    assert "secret" not in shown.replace("_secret", "").replace("secret_key", "")
    assert SECRET not in shown


def test_a_kept_secret_is_made_once_even_by_rivals_and_is_its_owners_only(tmp_path: Path) -> None:
    file = tmp_path / "data" / "secret_key"
    with ThreadPoolExecutor(8) as pool:
        secrets = set(pool.map(kept_secret, [file] * 32))
    assert len(secrets) == 1
    assert len(secrets.pop()) >= 48
    assert file.stat().st_mode & 0o777 == 0o600
    assert list(file.parent.iterdir()) == [file]


def test_a_given_signing_key_is_used_and_not_written_down(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, secret_key=SecretStr("given"))
    assert settings.signing_key == "given"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("postgresql://ana:s%40l@db/shop", "postgresql+asyncpg://ana:s%40l@db/shop"),
        ("postgres://ana:sal@db:6432/shop", "postgresql+asyncpg://ana:sal@db:6432/shop"),
        ("postgres://db/shop?sslmode=require", "postgresql+asyncpg://db/shop?ssl=require"),
        ("postgresql+asyncpg://db/shop", "postgresql+asyncpg://db/shop"),
        ("sqlite:///shop.db", "sqlite+aiosqlite:///shop.db"),
        ("sqlite:////srv/shop.db", "sqlite+aiosqlite:////srv/shop.db"),
        ("sqlite+aiosqlite:////srv/shop.db", "sqlite+aiosqlite:////srv/shop.db"),
    ],
)
def test_a_database_is_named_as_hosts_name_it(monkeypatch: pytest.MonkeyPatch, given: str, used: str) -> None:
    assert _with(monkeypatch, DATABASE_URL=given).async_database_url == used


@pytest.mark.parametrize("secret", ["x", "x" * 200, "correct horse battery staple", "0123456789abcdef" * 2])
@pytest.mark.parametrize("name", ["SECRET_KEY", "REVALIDATE_SECRET"])
def test_production_does_not_start_with_a_secret_that_can_be_guessed(
    monkeypatch: pytest.MonkeyPatch, name: str, secret: str
) -> None:
    with pytest.raises(SettingsError, match=f"{name} can be guessed") as stopped:
        _with(monkeypatch, **{**PRODUCTION, name: secret})
    assert secret not in str(stopped.value) or len(secret) == 1


@pytest.mark.parametrize("make", [secrets.token_urlsafe, secrets.token_hex])
def test_a_secret_of_32_random_bytes_is_good(
    monkeypatch: pytest.MonkeyPatch, make: Callable[[int], str]
) -> None:
    assert _with(monkeypatch, **{**PRODUCTION, "SECRET_KEY": make(32)}).signing_key


def test_what_is_made_of_32_random_bytes_is_never_taken_for_a_weak_secret() -> None:
    made = [make(32) for make in (secrets.token_urlsafe, secrets.token_hex) for _ in range(2_000)]
    assert min(map(bits_of, made)) > LEAST_BITS
