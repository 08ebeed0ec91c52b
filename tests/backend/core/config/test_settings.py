"""Settings: all are optional, invalid ones stop the start with one line, and no secret is shown (design: section 4)."""

import secrets
import ssl
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pydantic import SecretStr

from backend.core.config.problems import SettingsError
from backend.core.config.settings import GATEWAY_CREDENTIALS, Settings, load_settings
from backend.core.config.sources import PROJECT
from backend.core.config.values import MIN_SECRET_BITS, estimate_bits, read_or_create_secret

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
    "CARRIER_SANDBOX": "false",
    "SMTP_HOST": "smtp.example",
}


def load_with(monkeypatch: pytest.MonkeyPatch, **environment: str) -> Settings:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return load_settings()


def test_without_any_settings_the_sandbox_is_used() -> None:
    settings = load_settings()
    assert settings.uses_sandbox_gateway
    assert settings.uses_sandbox_carrier
    assert settings.base_url == "http://localhost:3000"
    assert settings.async_database_url.startswith("sqlite+aiosqlite:///")


def test_production_does_not_use_the_sandbox(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = load_with(monkeypatch, **PRODUCTION)
    assert not settings.uses_sandbox_gateway
    assert not settings.uses_sandbox_carrier


@pytest.mark.parametrize("missing", [name for name in PRODUCTION if name != "GATEWAY_ENV"])
def test_production_does_not_start_with_a_setting_missing(
    monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    with pytest.raises(SettingsError, match=missing):
        load_with(monkeypatch, **{name: value for name, value in PRODUCTION.items() if name != missing})


@pytest.mark.parametrize("given", GATEWAY_CREDENTIALS)
def test_incomplete_gateway_credentials_are_refused(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    with pytest.raises(SettingsError, match="missing"):
        load_with(monkeypatch, **{given: PRODUCTION[given]})


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("PORT", "70000"),
        ("PORT", "three"),
        ("WORKERS", "0"),
        ("WORKERS", "2"),
        ("PUBLIC_URL", "tienda.example"),
        ("ALLOWED_HOSTS", "https://www.tienda.example"),
        ("ALLOWED_HOSTS", "www.tienda.example:443"),
        ("ALLOWED_HOSTS", "*.tienda.example"),
        ("ALLOWED_HOSTS", "www.tienda.example tienda.local"),
        ("GATEWAY_ENV", "live"),
        ("PRIVATE_KEY", "not-hexadecimal-secret"),
        ("STORE_LOCALE", "fr"),
        ("SEARCH_SYNONYMS", "pelota"),
        ("SEARCH_SYNONYMS", "juego de mesa, tablero"),
        ("CARRIER_ORIGIN_DANE_CODE", "11001"),
        ("CARRIER_SANDBOX", "sandbox"),
        ("CARRIER_SANDBOX", ""),
        ("SMTP_STARTTLS", "maybe"),
        ("SSL_CERT_FILE", "/nowhere/authorities.pem"),
        ("GATEWAY_URL", "https://gateway.example"),
        ("CARRIER_API_URL", "https://carrier.example"),
        ("SECRET_KEY_FILE", "/nowhere/secret"),
        ("DATABASE_URL", "mysql://ana:secret@db/shop"),
        ("DATABASE_URL", "postgresql+psycopg2://ana:secret@db/shop"),
        ("DATABASE_URL", "postgresql://ana:secret@db:port/shop"),
        ("DATABASE_URL", "postgresql://ana:secret@db"),
        ("DATABASE_URL", "sqlite://"),
        ("DATABASE_URL", "secret"),
    ],
)
def test_malformed_setting_stops_the_start_with_one_line_that_names_it(
    monkeypatch: pytest.MonkeyPatch, name: str, wrong: str
) -> None:
    with pytest.raises(SettingsError) as stopped:
        load_with(monkeypatch, **{name: wrong})
    line = str(stopped.value)
    assert line.startswith("Trompo cannot start: ")
    assert name in line
    assert "\n" not in line
    assert "secret" not in line


def test_repr_of_the_settings_contains_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = repr(
        load_with(
            monkeypatch, **PRODUCTION, ADMIN_PASSWORD="admin-secret", GOOGLE_CLIENT_SECRET="google-secret"
        )
    )
    assert "secret" not in shown.replace("_secret", "").replace("secret_key", "")
    assert SECRET not in shown


def test_concurrent_processes_create_one_secret_file_readable_only_by_its_owner(tmp_path: Path) -> None:
    file = tmp_path / "data" / "secret_key"
    with ThreadPoolExecutor(8) as pool:
        secrets = set(pool.map(read_or_create_secret, [file] * 32))
    assert len(secrets) == 1
    assert len(secrets.pop()) >= 48
    assert file.stat().st_mode & 0o777 == 0o600
    assert list(file.parent.iterdir()) == [file]


def test_signing_key_from_the_settings_is_used_and_not_stored(tmp_path: Path) -> None:
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
        ("sqlite:///shop.db", f"sqlite+aiosqlite:///{PROJECT}/shop.db"),
        ("sqlite:////srv/shop.db", "sqlite+aiosqlite:////srv/shop.db"),
        ("sqlite+aiosqlite:////srv/shop.db", "sqlite+aiosqlite:////srv/shop.db"),
    ],
)
def test_database_urls_of_hosting_providers_are_accepted(
    monkeypatch: pytest.MonkeyPatch, given: str, used: str
) -> None:
    assert load_with(monkeypatch, DATABASE_URL=given).async_database_url == used


@pytest.mark.parametrize("secret", ["x", "x" * 200, "correct horse battery staple", "0123456789abcdef" * 2])
@pytest.mark.parametrize("name", ["SECRET_KEY", "REVALIDATE_SECRET"])
def test_production_does_not_start_with_a_weak_secret(
    monkeypatch: pytest.MonkeyPatch, name: str, secret: str
) -> None:
    with pytest.raises(SettingsError, match=f"{name} can be guessed") as stopped:
        load_with(monkeypatch, **{**PRODUCTION, name: secret})
    assert secret not in str(stopped.value) or len(secret) == 1


@pytest.mark.parametrize("make", [secrets.token_urlsafe, secrets.token_hex])
def test_secret_of_32_random_bytes_is_accepted(
    monkeypatch: pytest.MonkeyPatch, make: Callable[[int], str]
) -> None:
    assert load_with(monkeypatch, **{**PRODUCTION, "SECRET_KEY": make(32)}).signing_key


def test_any_secret_of_32_random_bytes_is_accepted() -> None:
    made = [make(32) for make in (secrets.token_urlsafe, secrets.token_hex) for _ in range(2_000)]
    assert min(map(estimate_bits, made)) > MIN_SECRET_BITS


@pytest.mark.parametrize(
    ("written", "is_test"), [("true", True), ("True", True), ("1", True), ("False", False), ("no", False)]
)
def test_boolean_settings_accept_common_words(
    monkeypatch: pytest.MonkeyPatch, written: str, is_test: bool
) -> None:
    assert load_with(monkeypatch, CARRIER_SANDBOX=written).creates_test_labels is is_test


def test_all_problems_of_the_settings_are_listed_on_one_line_each(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingsError) as stopped:
        load_with(
            monkeypatch,
            GATEWAY_ENV="production",
            PORT="everywhere",
            PRIVATE_KEY="short",
            P_CUST_ID_CLIENTE="1",
            SECRET_KEY="x" * 60,
        )
    first, *lines = str(stopped.value).splitlines()
    assert first == "Trompo cannot start:"
    assert [line.split(":")[0].strip() for line in lines] == [
        "PORT",
        "PRIVATE_KEY",
        "GATEWAY_ENV=production needs P_KEY",
        "GATEWAY_ENV=production needs PUBLIC_KEY",
        "GATEWAY_ENV=production needs PUBLIC_URL with https",
        "SECRET_KEY can be guessed",
        "GATEWAY_ENV=production needs CARRIER_API_KEY",
        "GATEWAY_ENV=production needs CARRIER_SANDBOX",
        "GATEWAY_ENV=production needs SMTP_HOST",
    ]


@pytest.fixture
def env_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    file = tmp_path / "shop.env"
    monkeypatch.setenv("ENV_FILE", str(file))
    return file


def test_environment_has_priority_over_secret_file_and_env_file(
    monkeypatch: pytest.MonkeyPatch, env_file: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("of the file\n")
    env_file.write_text(
        f"# the shop\nSTORE_NAME='Ñandú'\nSTORE_PHONE=601\nSECRET_KEY_FILE={secret}\nSECRET_KEY=x\n"
    )
    settings = load_with(monkeypatch, STORE_PHONE="602")
    assert (settings.store_name, settings.store_phone) == ("Ñandú", "602")
    assert settings.signing_key == "of the file"
    assert load_with(monkeypatch, SECRET_KEY="of the environment").signing_key == "of the environment"


def test_certificate_authorities_of_the_env_file_are_used(
    monkeypatch: pytest.MonkeyPatch, env_file: Path, tmp_path: Path
) -> None:
    authorities = tmp_path / "authorities.pem"
    authorities.write_text("")
    env_file.write_text(f"SSL_CERT_FILE={authorities}\n")
    monkeypatch.setenv("SSL_CERT_FILE", "removed below, and restored after the test")
    monkeypatch.delenv("SSL_CERT_FILE")
    assert load_settings().ssl_cert_file == authorities
    assert ssl.get_default_verify_paths().cafile == str(authorities)
    monkeypatch.setenv("SSL_CERT_FILE", "")
    assert load_settings().ssl_cert_file is None


def test_unknown_name_in_the_env_file_is_refused_with_a_suggestion(env_file: Path) -> None:
    env_file.write_text("GATEWAY_EVN=production\nADMIN_JWT=x\nSMTP_PASSWORD_FILE=\nXYZZY=1\n")
    with pytest.raises(SettingsError) as stopped:
        load_settings()
    assert str(stopped.value).splitlines() == [
        "Trompo cannot start:",
        "  GATEWAY_EVN in .env is not a setting: did you mean GATEWAY_ENV?",
        "  XYZZY in .env is not a setting",
    ]


def test_data_folder_does_not_depend_on_the_working_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_settings().data_dir == PROJECT / "data"
    assert load_with(monkeypatch, DATA_DIR="elsewhere").data_dir == PROJECT / "elsewhere"
    assert load_with(monkeypatch, DATA_DIR=str(tmp_path)).data_dir == tmp_path


def test_warehouse_address_of_the_settings_is_used_without_the_demo_suburb(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = load_with(
        monkeypatch, CARRIER_ORIGIN_ADDRESS="Cra. 50 # 30-12", CARRIER_ORIGIN_REFERENCE="Local 2"
    )
    assert settings.carrier_origin_suburb == ""
    assert settings.carrier_origin_reference == "Local 2"
