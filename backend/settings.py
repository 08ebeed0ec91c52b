"""Every setting of the shop, and the only module that reads the environment.

All settings are optional: with none at all the shop runs on SQLite and the embedded sandbox. A setting that is
malformed, or missing where production needs it, stops the start with one clear line (`SettingsError`). Secrets are
`SecretStr`: they never appear in a repr, a log or a message.
"""

import hmac
import math
import secrets
from enum import StrEnum
from functools import cached_property
from ipaddress import ip_network
from pathlib import Path
from typing import Self

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

GATEWAY_CREDENTIALS = ("P_CUST_ID_CLIENTE", "P_KEY", "PUBLIC_KEY", "PRIVATE_KEY")

SANDBOX_CUST_ID = "99999"
SANDBOX_P_KEY = "0123456789abcdef0123456789abcdef01234567"
SANDBOX_PUBLIC_KEY = "sandbox0public0key0of0the0demo00"
SANDBOX_PRIVATE_KEY = "00112233445566778899aabbccddeeff"
SANDBOX_CARRIER_KEY = "00000000-0000-4000-8000-sandboxcarrier"

LEAST_BITS = 190
"""What `bits_of` finds in 32 random bytes at the least, written in hexadecimal digits or in base64."""
HOW_TO_MAKE_ONE = "take what `python -c 'import secrets; print(secrets.token_urlsafe(48))'` prints"

POSTGRESQL, SQLITE = "postgresql+asyncpg", "sqlite+aiosqlite"
DRIVERS = {
    "postgresql": POSTGRESQL,
    "postgres": POSTGRESQL,
    POSTGRESQL: POSTGRESQL,
    "sqlite": SQLITE,
    SQLITE: SQLITE,
}
"""The database of an address, by what it may begin with."""


class SettingsError(SystemExit):
    """A setting is wrong. Printed as one line, without a traceback; it never shows a value."""


class GatewayEnv(StrEnum):
    """Which gateway mode is in force (spec: Configuration)."""

    SANDBOX = "sandbox"
    PRODUCTION = "production"


class Settings(BaseSettings):
    """The settings by the name of their environment variable, in lower case."""

    model_config = SettingsConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)

    # where it runs
    port: int = Field(default=3000, ge=1, le=65535)
    workers: int = Field(default=1, ge=1, le=64)
    """Processes that serve. More than one need REDIS_URL: a page that reconnects may reach another than before."""
    public_url: str = ""
    data_dir: Path = Path("data")
    database_url: str = ""
    database_pool: int = Field(default=10, ge=2, le=200)
    """Connections to PostgreSQL that each process opens at most, one more aside."""
    database_pooler: str = Field(default="", pattern="^(transaction)?$")
    """`transaction`: DATABASE_URL leads to PgBouncer, which may serve each transaction by another connection."""
    redis_url: str = ""
    renderers: int = Field(default=1, ge=0, le=16)
    """How many processes draw the pages; with none, browsers draw them themselves."""
    drain_seconds: float = Field(default=0, ge=0, le=300)
    """Seconds that a process which is told to end goes on serving, not ready: what a proxy takes to notice."""
    trusted_proxies: str = ""
    """Addresses or networks, with commas between them, whose `X-Forwarded-For` tells a client's address."""
    people_per_address: int = Field(default=1000, ge=1, le=1_000_000)
    """How many people may share one client address, as in a mobile network: limits by address grow with it."""

    # the store
    store_name: str = Field(default="Trompo", min_length=1, max_length=60)
    store_locale: str = Field(default="es", pattern="^(es|en)$")
    store_legal_name: str = "Juguetería Trompo S.A.S."
    store_nit: str = "900.123.456-8"
    store_phone: str = "601 555 0123"
    store_email: str = "hola@trompo.example"
    secret_key: SecretStr = SecretStr("")
    revalidate_secret: SecretStr = SecretStr("")
    storefront_url: str = ""
    """Where the backend tells the storefront of changed products, if PUBLIC_URL cannot be reached from inside."""
    admin_email: str = ""
    admin_password: SecretStr = SecretStr("")

    # the payment gateway
    gateway_env: GatewayEnv = GatewayEnv.SANDBOX
    gateway_url: str = ""
    p_cust_id_cliente: str = ""
    p_key: SecretStr = SecretStr("")
    public_key: str = ""
    private_key: SecretStr = SecretStr("")

    manual_payment_days: int = Field(default=3, ge=1, le=60)
    """How long an order is reserved whose money staff have still to confirm (`pp_system_default`)."""

    # the carrier; CARRIER_ORIGIN_* is the warehouse that labels name as their sender
    carrier_api_url: str = "https://api.envioclickpro.com.co/api/v2"
    carrier_api_key: SecretStr = SecretStr("")
    carrier_sandbox: str = "true"
    carrier_timeout: float = Field(default=12, ge=1, le=60)
    """Seconds that a quotation is waited for; five to eight are usual."""
    carrier_origin_company: str = "Juguetería Trompo"
    carrier_origin_first_name: str = "Bodega"
    carrier_origin_last_name: str = "Trompo"
    carrier_origin_email: str = "bodega@trompo.example"
    carrier_origin_phone: str = "6015550123"
    carrier_origin_address: str = "Calle 80 # 68-20"
    carrier_origin_suburb: str = "Engativá"
    carrier_origin_cross_street: str = "Carrera 68"
    carrier_origin_reference: str = "Bodega 4"
    carrier_origin_dane_code: str = Field(default="11001000", pattern=r"^\d{8}$")

    label_over_paid: int = Field(default=10_000, ge=0, le=10_000_000)
    """Pesos. A label dearer than what the buyer paid for shipping plus this is not bought: it waits in attention."""

    # mails; without a server they land in the data folder
    smtp_host: str = ""
    smtp_port: int = Field(default=587, ge=1, le=65535)
    smtp_user: str = ""
    smtp_password: SecretStr = SecretStr("")
    smtp_starttls: bool = True

    # signing in with Google
    google_client_id: str = ""
    google_client_secret: SecretStr = SecretStr("")
    google_issuer: str = "https://accounts.google.com"

    @field_validator("public_url", "storefront_url", "gateway_url", "carrier_api_url", "google_issuer")
    @classmethod
    def _is_http_url(cls, url: str) -> str:
        if url and not url.startswith(("http://", "https://")):
            raise ValueError("must start with http:// or https://")
        return url.rstrip("/")

    @field_validator("database_url")
    @classmethod
    def _names_a_driver_we_have(cls, url: str) -> str:
        return async_url(url) if url else url

    @field_validator("trusted_proxies")
    @classmethod
    def _are_networks(cls, networks: str) -> str:
        for network in filter(None, map(str.strip, networks.split(","))):
            try:
                ip_network(network, strict=False)
            except ValueError:
                raise ValueError("must be addresses or networks with commas between them") from None
        return networks

    @field_validator("private_key")
    @classmethod
    def _is_aes_key(cls, key: SecretStr) -> SecretStr:
        text = key.get_secret_value()
        if text and (len(text) != 32 or any(c not in "0123456789abcdefABCDEF" for c in text)):
            raise ValueError("must be 32 hexadecimal digits")
        return key

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        if self.workers > 1 and not self.redis_url:
            raise ValueError("WORKERS above 1 needs REDIS_URL")
        given = [name for name in GATEWAY_CREDENTIALS if self._text(name)]
        missing = [name for name in GATEWAY_CREDENTIALS if name not in given]
        if self.gateway_env is GatewayEnv.PRODUCTION:
            if missing:
                raise ValueError(f"GATEWAY_ENV=production needs {', '.join(missing)}")
            if not self.public_url.startswith("https://"):
                raise ValueError("GATEWAY_ENV=production needs PUBLIC_URL with https://")
            for name in ("SECRET_KEY", "REVALIDATE_SECRET"):
                if self._text(name) and bits_of(self._text(name)) < LEAST_BITS:
                    raise ValueError(f"{name} can be guessed: {HOW_TO_MAKE_ONE}")
            if not self.secret_key.get_secret_value():
                raise ValueError(f"GATEWAY_ENV=production needs SECRET_KEY: {HOW_TO_MAKE_ONE}")
            if not self.carrier_api_key.get_secret_value():
                raise ValueError("GATEWAY_ENV=production needs CARRIER_API_KEY")
        elif given and missing:
            raise ValueError(f"some gateway credentials are set, but {', '.join(missing)} are missing")
        return self

    def _text(self, name: str) -> str:
        value = getattr(self, name.lower())
        return value.get_secret_value() if isinstance(value, SecretStr) else value

    @property
    def base_url(self) -> str:
        """Where shoppers and the gateway reach the shop, without a trailing slash."""
        return self.public_url or f"http://localhost:{self.port}"

    @property
    def uses_sandbox_gateway(self) -> bool:
        """Whether the embedded gateway and bank answer in place of the real ones."""
        return self.gateway_env is GatewayEnv.SANDBOX and not self.public_key

    @property
    def uses_sandbox_carrier(self) -> bool:
        """Whether the embedded carrier answers in place of the real one."""
        return self.gateway_env is GatewayEnv.SANDBOX and not self.carrier_api_key.get_secret_value()

    @property
    def creates_test_labels(self) -> bool:
        """Whether labels are test ones, of `/shipment_sandbox` (spec: Configuration, CARRIER_SANDBOX is 'true')."""
        return self.carrier_sandbox == "true"

    @property
    def has_google(self) -> bool:
        """Whether one can sign in with Google."""
        return bool(self.google_client_id and self.google_client_secret.get_secret_value())

    @property
    def async_database_url(self) -> str:
        """The database to use; SQLite in the data folder unless DATABASE_URL names another."""
        return self.database_url or f"sqlite+aiosqlite:///{self.data_dir.resolve() / 'trompo.db'}"

    @cached_property
    def signing_key(self) -> str:
        """SECRET_KEY, or one made at the first start and kept in the data folder, readable by its owner only."""
        if given := self.secret_key.get_secret_value():
            return given
        return kept_secret(self.data_dir / "secret_key")

    @property
    def revalidation_secret(self) -> str:
        """The shared secret of `POST /api/revalidate`: REVALIDATE_SECRET, or one that follows from SECRET_KEY.

        Replicas agree either way. A shop with neither keeps one in the data folder.
        """
        if given := self.revalidate_secret.get_secret_value():
            return given
        if key := self.secret_key.get_secret_value():
            return hmac.new(key.encode(), b"revalidate", "sha256").hexdigest()
        return kept_secret(self.data_dir / "revalidate_secret")


class AdminAccess(BaseSettings):
    """What a program needs to use the Admin API from outside: a token and an address. Nothing of it is stored."""

    model_config = SettingsConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)

    admin_jwt: SecretStr = SecretStr("")
    backend_url: str = ""


def async_url(url: str) -> str:
    """The database's address with the driver that the shop uses: `postgres://…` is what many hosts hand out.

    Raises:
        ValueError: it is no address, or that of another kind of database; the message shows nothing of it.
    """
    wanted = ValueError("must be like postgresql://user:password@host/name or sqlite:///file.db")
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise wanted from None
    driver = DRIVERS.get(parsed.drivername)
    if driver is None or not parsed.database:
        raise wanted
    if (
        driver == POSTGRESQL and "sslmode" in parsed.query
    ):  # PostgreSQL's own word for what the driver calls ssl
        mode = parsed.query["sslmode"]
        parsed = parsed.difference_update_query(["sslmode"]).update_query_dict({"ssl": mode})
    return parsed.set(drivername=driver).render_as_string(hide_password=False)


def bits_of(secret: str) -> float:
    """How many bits a secret could hold that is made of as many and as different characters."""
    return len(secret) * math.log2(len(set(secret))) if secret else 0


def private_folder(path: Path) -> None:
    """Make the data folder, which nobody but its owner can enter."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.chmod(0o700)


def kept_secret(path: Path) -> str:
    """The secret in the file at `path`; made there first when there is none. Safe when two processes start at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    candidate = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    candidate.touch(mode=0o600)
    candidate.write_text(secrets.token_urlsafe(48))
    try:
        path.hardlink_to(candidate)  # only the first of several rivals succeeds, and with the whole content
    except FileExistsError:
        pass  # the secret is there already: ours is not needed
    finally:
        candidate.unlink()
    return path.read_text().strip()


def load_admin_access() -> AdminAccess:
    """Read ADMIN_JWT and BACKEND_URL, this shop's own address unless it is set (spec: Catalog-assignment procedure 2).

    Raises:
        SettingsError: there is no token, or one of the two cannot be used; the message shows no value.
    """
    access = AdminAccess()
    token = access.admin_jwt.get_secret_value().strip()
    url = (access.backend_url or load_settings().base_url).rstrip("/")
    if not token:
        raise SettingsError("ADMIN_JWT is missing: set it to a token from POST /auth/user/emailpass.")
    if not (token.isascii() and token.isprintable() and " " not in token):
        raise SettingsError("ADMIN_JWT is not a token: there is something in it that no header can carry.")
    if not url.startswith(("http://", "https://")):
        raise SettingsError("BACKEND_URL must start with http:// or https://")
    return AdminAccess(admin_jwt=SecretStr(token), backend_url=url)


def load_settings() -> Settings:
    """Read the environment.

    Raises:
        SettingsError: a setting is malformed or missing; the message is one line that names it and shows no value.
    """
    try:
        return Settings()
    except ValidationError as error:
        problems = "; ".join(
            f"{str(problem['loc'][0]).upper() + ': ' if problem['loc'] else ''}"
            f"{problem['msg'].removeprefix('Value error, ')}"
            for problem in error.errors(include_input=False, include_url=False, include_context=False)
        )
        raise SettingsError(f"Trompo cannot start: {problems}") from None
