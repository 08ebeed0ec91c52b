"""All settings of the shop. No other module reads the environment (other sources of settings: `sources`).

All settings are optional: without any, the shop runs on SQLite and the embedded sandbox. Settings that are
malformed, or missing although production needs them, stop the start with one clear line each (`SettingsError`).
Secrets are `SecretStr`: they never appear in a repr, a log or a message.
"""

import hmac
import os
from enum import StrEnum
from functools import cached_property
from ipaddress import ip_network
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)
from sqlalchemy.engine import make_url

from backend.core.config.languages import LANGUAGES
from backend.core.config.modules import SETTING_NAMES, list_external_ids, split_providers
from backend.core.config.origins import Origins, host_of, parse_hosts, parse_origins
from backend.core.config.problems import (
    IncompleteSettings,
    ProblemKind,
    SettingProblem,
    SettingsError,
    create_problem,
    settings_error,
    value_error,
)
from backend.core.config.sources import (
    PROJECT,
    EnvFileSource,
    SecretFileSource,
    UnreadableValue,
    unknown_names,
)
from backend.core.config.values import (
    MIN_SECRET_BITS,
    RANDOM_TEXT_COMMAND,
    estimate_bits,
    parse_s3_address,
    parse_synonyms,
    parse_vapid_key,
    read_or_create_secret,
    to_async_url,
)

GATEWAY_CREDENTIALS = ("P_CUST_ID_CLIENTE", "P_KEY", "PUBLIC_KEY", "PRIVATE_KEY")

INVOICE_CREDENTIALS = (
    "INVOICE_API_URL", "INVOICE_API_KEY", "INVOICE_SOFTWARE_ID", "INVOICE_SOFTWARE_PIN", "INVOICE_SOFTWARE_NIT",
)  # fmt: skip

DEFAULT_LOCALE, LOCALE_PATTERN = "es", f"^({'|'.join(LANGUAGES)})$"

CARRIER_API_URL = "https://api.envioclickpro.com.co/api/v2"

SANDBOX_CUST_ID = "99999"
SANDBOX_P_KEY = "0123456789abcdef0123456789abcdef01234567"
SANDBOX_PUBLIC_KEY = "sandbox0public0key0of0the0demo00"
SANDBOX_PRIVATE_KEY = "00112233445566778899aabbccddeeff"
SANDBOX_CARRIER_KEY = "00000000-0000-4000-8000-sandboxcarrier"
SANDBOX_INVOICE_URL = "http://invoices.sandbox/api/v1"
SANDBOX_INVOICE_KEY = "00000000-0000-4000-8000-sandboxinvoice"
SANDBOX_INVOICE_SOFTWARE = ("fa326ca7-c1f8-40d3-a6fc-24d7c1040607", "12345")
"""Id and PIN of the software that the embedded invoice provider accepts."""
SANDBOX_INVOICE_NIT = "900373076-4"


class SourcedSettings(BaseSettings):
    """Settings from the environment, from secret files (`KEY_FILE` has the path of the file for KEY), and `.env`."""

    model_config = SettingsConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - EnvFileSource finds the file
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - NAME_FILE names each secret's file instead
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Return the sources, in the order of their precedence."""
        return init_settings, env_settings, SecretFileSource(settings_cls), EnvFileSource(settings_cls)

    @field_validator("*", mode="before")
    @classmethod
    def _check_readable(cls, value: Any) -> Any:
        if isinstance(value, UnreadableValue):
            raise value_error(ProblemKind.UNREADABLE_FILE, name=value.name, reason=value.reason)
        return value


class GatewayEnv(StrEnum):
    """Mode of the payment gateway (spec: Configuration)."""

    SANDBOX = "sandbox"
    PRODUCTION = "production"


class Identity(BaseModel):
    """The shop's identity, and the address from which its packages are sent.

    Staff can override these values in the office.
    """

    # The shop's identity
    store_name: str = Field(default="Trompo", min_length=1, max_length=60)
    """The shop's name, on pages and e-mails."""
    store_legal_name: str = "Juguetería Trompo S.A.S."
    """The company's registered name. In production, not the demo shop's."""
    store_nit: str = "900.123.456-8"
    """The company's tax number (NIT), with its check digit. In production, not the demo shop's."""
    store_phone: str = "601 555 0123"
    """Telephone number for customers. In production, not the demo shop's."""
    store_email: str = "hola@trompo.example"
    """Address for customers, and the sender of all e-mails. In production, not the demo shop's."""
    store_address: str = Field(default="", max_length=200)
    """Address of the shop. Empty: not displayed, although the law requires it."""
    store_notice_address: str = Field(default="", max_length=200)
    """Address for letters from courts and authorities. Empty: STORE_ADDRESS."""
    store_whatsapp: str = Field(default="", pattern=r"^(\+?([0-9] ?){8,15})?$")
    """WhatsApp number of 8 to 15 digits, with its country code: 57 300 123 4567. Empty: not displayed."""
    store_about: str = Field(default="", max_length=300)
    """A text about the shop. Empty: a default text."""
    store_hours: str = Field(default="", max_length=100)
    """The opening hours. Empty: a default text."""

    # The first warehouse, which is the sender on labels
    carrier_origin_company: str = "Juguetería Trompo"
    """Company on the label. In production, not the demo shop's."""
    carrier_origin_first_name: str = "Bodega"
    """First name of the person who hands over the parcels."""
    carrier_origin_last_name: str = "Trompo"
    """Surname of this person."""
    carrier_origin_email: str = "bodega@trompo.example"
    """E-mail address of the warehouse. In production, not the demo shop's."""
    carrier_origin_phone: str = "6015550123"
    """Telephone number of the warehouse: ten digits. In production, not the demo shop's."""
    carrier_origin_address: str = "Calle 80 # 68-20"
    """Street and number. In production, not the demo shop's."""
    carrier_origin_suburb: str = "Engativá"
    """Neighbourhood. If CARRIER_ORIGIN_ADDRESS is set, the default is empty; the same for the next two."""
    carrier_origin_cross_street: str = "Carrera 68"
    """The nearest cross street."""
    carrier_origin_reference: str = "Bodega 4"
    """Directions to the door."""
    carrier_origin_dane_code: str = Field(default="11001000", pattern=r"^\d{8}$")
    """Code of the municipality in the list of DANE, the statistics office, with three zeros: Bogotá is 11001000."""


class OfficeSettings(Identity):
    """Settings that staff can override in the office: the shop's identity, its limits, and the alerts to its owner.

    Alert limits are in hours, days, minutes and MiB; 0 means never.
    """

    # Delivery and stock
    manual_payment_days: int = Field(default=3, ge=1, le=60)
    """Days for which the units of an order are reserved until staff confirm its payment (`pp_system_default`)."""
    label_over_paid: int = Field(default=10_000, ge=0, le=10_000_000)
    """Amount in pesos by which a label may cost more than the shipping price at the sale, before discounts.

    A more expensive label is not bought automatically. It waits for a staff member's decision.
    """
    sell_discount_percent: int = Field(default=10, ge=0, le=100)
    """Largest discount, in percent of the products' price, that a seller gives without the right to exceed it."""
    packing_days: int = Field(default=1, ge=0, le=30)
    """Business days until a paid order is given to the carrier; part of the promised day."""
    cutoff_hour: int = Field(default=15, ge=1, le=23)
    """Hour in Colombia. An order that is paid before it, on a business day, counts from that day."""
    refuse_unquoted: bool = False
    """`true`: deliveries that no courier quotes are refused.

    `false`: they cost the fixed price, and attention `no_courier` reports them to staff.
    """

    # Alerts
    alert_email: str = Field(default="", pattern=r"^([^@\s]+@[^@\s]+)?$")
    """Address for alerts. Empty: STORE_EMAIL."""
    alert_webhook: str = ""
    """URL that is called with each alert; needs ALERT_WEBHOOK_SECRET. Empty: none."""
    alert_no_sale_hours: int = Field(default=0, ge=0, le=720)
    """Hours without a paid order after which an alert begins. 0: no alert."""
    alert_disk_free_mb: int = Field(default=500, ge=0, le=10_000_000)
    """Free MiB on the data folder's disk below which an alert begins. 0: no alert."""
    alert_certificate_days: int = Field(default=14, ge=0, le=80)
    """Days before the certificate of PUBLIC_URL expires. 0: no alert."""
    alert_failing_minutes: int = Field(default=5, ge=0, le=1440)
    """Minutes for which an outside service fails before an alert begins. 0: no alert."""

    @field_validator("alert_webhook")
    @classmethod
    def _check_webhook_url(cls, url: str) -> str:
        return http_url(url)


def http_url(url: str) -> str:
    """Return the URL without a trailing slash; empty if there is none.

    Raises:
        ValueError: it is not an HTTP URL.
    """
    if url and not url.startswith(("http://", "https://")):
        raise value_error(ProblemKind.NOT_HTTP_URL)
    return url.rstrip("/")


class Settings(OfficeSettings, SourcedSettings):
    """The settings, named like their environment variables in lower case."""

    # The server
    port: int = Field(default=3000, ge=1, le=65535)
    """Port of pages, API and websocket."""
    public_url: str = ""
    """The shop's address as customers see it. Production needs https. Empty: `http://localhost:PORT`."""
    allowed_hosts: str = ""
    """Hosts that the shop answers in addition to that of PUBLIC_URL, separated by commas: `www.tienda.example`."""
    trusted_proxies: str = ""
    """Addresses or networks, separated by commas, whose `X-Forwarded-For` names the client's address. Empty: none."""
    people_per_address: int = Field(default=1000, ge=1, le=1_000_000)
    """Number of people who may share one client address, as in a mobile network. Limits per address grow with it."""
    workers: int = Field(default=1, ge=1, le=64)
    """Number of serving processes. More than one needs REDIS_URL, because a page may reconnect to another process."""
    drain_seconds: float = Field(default=0, ge=0, le=300)
    """Seconds for which a stopping process continues to serve while it reports that it is not ready.

    This gives a proxy the time to stop sending requests to the process.
    """
    renderers: int = Field(default=1, ge=0, le=16)
    """Number of processes that render pages. 0: browsers render them."""
    renderer_rest_minutes: int = Field(default=15, ge=0, le=10_080)
    """Minutes without a visitor after which the renderers stop, which frees about 80 MiB. 0: never.

    The next visitor starts them and waits for it, 0.3 s on a fast machine.
    """
    ssl_cert_file: Path | None = None
    """File with the certificate authorities (PEM) that all outgoing connections trust, instead of the default ones."""

    # Stored data
    data_dir: Path = Path("data")
    """Folder of the SQLite database, pictures, generated secrets and unsent e-mails.

    It belongs to the shop's user, and no other user can read it.
    """
    database_url: str = ""
    """`postgresql://user:password@host/database`. Empty: SQLite in DATA_DIR, for one process."""
    database_pool: int = Field(default=10, ge=2, le=200)
    """Maximum number of PostgreSQL connections of each process, not counting one extra connection."""
    database_pooler: str = Field(default="", pattern="^(transaction)?$")
    """`transaction`: DATABASE_URL leads to PgBouncer in transaction mode. Empty: to PostgreSQL itself."""
    redis_url: str = ""
    """`redis://:password@host`, for the state of open pages. Empty: in the memory of the only process."""
    pictures_url: SecretStr = SecretStr("")
    """S3-compatible store of the pictures: `https://KEY:SECRET@host/bucket/folder?region=name`.

    Folder and region are optional. Empty: pictures are in DATA_DIR, and replicas must share it.
    """
    backup_url: SecretStr = SecretStr("")
    """Default target of `trompo backup`: a folder in an S3-compatible store, written like PICTURES_URL.

    It cannot be a local folder: name that as the command's argument.
    """
    video_mb: int = Field(default=30, ge=1, le=100)
    """Maximum size of a product's video, in MiB."""

    # Secrets
    secret_key: SecretStr = SecretStr("")
    """The signing key: it signs sessions and the links in e-mails, and encrypts second factors.

    Production needs it, with 32 random bytes. Empty: generated at the first start, in DATA_DIR.
    """
    revalidate_secret: SecretStr = SecretStr("")
    """Authorises `POST /api/revalidate`, by which the backend reports changed products. Empty: from SECRET_KEY."""
    vapid_private_key: SecretStr = SecretStr("")
    """Key that identifies the shop to push services: base64url of 32 bytes. Empty: derived from the signing key.

    With another key, staff activate the notices of their devices again.
    """
    metrics_token: SecretStr = SecretStr("")
    """Token that `GET /metrics` requires. Empty: it answers 404, and health checks show no details."""

    # Monitoring
    log_format: str = Field(default="text", pattern="^(text|json)$")
    """`text`: lines for people. `json`: each log entry is one JSON object."""
    otel_exporter_otlp_endpoint: str = ""
    """Address of a trace collector (OTLP over HTTP). OpenTelemetry reads its further settings itself. Empty: none."""
    alert_webhook_secret: SecretStr = SecretStr("")
    """Signs the calls of ALERT_WEBHOOK."""

    # Other programs
    store_cors: str = ""
    """Sites whose pages may call `/store`: origins and `/regular expressions/`, separated by commas. No others may."""
    admin_cors: str = ""
    """The same for `/admin`."""
    auth_cors: str = ""
    """The same for `/auth`."""
    store_api_consents_required: bool = False
    """`true`: a program may pay for a cart only with the `consents` that it sent to `POST /store/carts/{id}`.

    `consents` are `kind` (`data`, `terms`) and `version`. The shop's own pages always ask for them.
    """
    storefront_url: str = ""
    """Address to which the backend reports changed products. Empty: PUBLIC_URL.

    Set it if the machine cannot reach PUBLIC_URL.
    """
    google_client_id: str = ""
    """OAuth client of the Google sign-in. Without it and its secret the button is not displayed."""
    google_client_secret: SecretStr = SecretStr("")
    """Secret of this client."""
    google_issuer: str = "https://accounts.google.com"
    """Another OpenID provider may replace Google."""

    # Pages and staff
    store_locale: str = Field(default=DEFAULT_LOCALE, pattern=LOCALE_PATTERN)
    """Language of pages, e-mails, errors and the demo products. After a change the pages are built again."""
    search_synonyms: str = ""
    """Additional synonyms for the search: `pelota, balón; carro, auto`. In a file, also one group a line.

    The built-in ones are in `backend/catalog/search/search_words.toml`.
    """
    search_engine: str = Field(default="", pattern=r"^([A-Za-z_][\w.]*:[A-Za-z_]\w*)?$")
    """Search engine in a package of your own, as `package.module:Class`. Empty: the shop's own, in its database."""
    admin_email: str = ""
    """The first owner, who is created at a start without any staff member. It may stay set."""
    admin_password: SecretStr = SecretStr("")
    """Password of the first owner, 12 characters or more. Remove it after the first start."""

    # Providers
    payment_providers: str = ""
    """Payment providers of the shop, separated by commas. The list replaces the default one: repeat what stays.

    Another program's provider is `id=package.module:Class`. Empty: `pp_system_default,gateway_pse`.
    """
    fulfillment_providers: str = ""
    """The same for fulfillment providers. Empty: `manual_manual,carrier_standard,own_delivery`."""
    invoice_providers: str = ""
    """The same for invoice providers. Empty: `file,ubl`."""

    # The payment gateway
    gateway_env: GatewayEnv = GatewayEnv.SANDBOX
    """`sandbox`: test mode of the gateway, or the embedded test gateway. `production`: money moves.

    Production needs the four credentials below, CARRIER_API_KEY, CARRIER_SANDBOX, SMTP_HOST, SECRET_KEY and
    PUBLIC_URL with https; the shop's own identity and warehouse; and no secret that can be guessed.
    """
    p_cust_id_cliente: str = ""
    """The account's number at the gateway. Without the four credentials, the embedded test gateway is used."""
    p_key: SecretStr = SecretStr("")
    """Key with which the gateway signs its notifications."""
    public_key: str = ""
    """Key of the gateway's API."""
    private_key: SecretStr = SecretStr("")
    """Private key of the gateway's API: 32 hexadecimal digits."""
    gateway_url: str = ""
    """Another address of the gateway, for tests; needs the credentials. Empty: the official addresses."""

    # The carrier
    carrier_api_key: SecretStr = SecretStr("")
    """Key of the carrier's API. Empty: the embedded test carrier."""
    carrier_api_url: str = CARRIER_API_URL
    """Address of the carrier's API. Another one needs CARRIER_API_KEY."""
    carrier_sandbox: bool = True
    """`true`: test labels, which no courier picks up. `false`: labels that cost money. Prices are always real.

    Production must set it explicitly.
    """
    carrier_timeout: float = Field(default=12, ge=1, le=60)
    """Seconds that a customer waits for a price before the fixed price is used; five to eight are usual."""
    carrier_min_rate: int = Field(default=1_000, ge=0, le=100_000)
    """Lowest plausible rate, in pesos. A lower rate is treated as an error of the carrier."""

    # The invoice provider: set all five or none
    invoice_api_url: str = ""
    """Address of the provider's API. Empty: the embedded test provider; in production, no provider."""
    invoice_api_key: SecretStr = SecretStr("")
    """Key of the provider's API."""
    invoice_software_id: str = ""
    """Id of the invoicing software at the tax authority (DIAN)."""
    invoice_software_pin: SecretStr = SecretStr("")
    """PIN of the invoicing software."""
    invoice_software_nit: str = ""
    """Tax number (NIT) of the owner of the invoicing software, with its check digit."""

    # The mail server
    smtp_host: str = ""
    """Host of the mail server. Empty: e-mails are written to `outbox` in DATA_DIR."""
    smtp_port: int = Field(default=587, ge=1, le=65535)
    """Port 465 has TLS from the start; any other port has STARTTLS.

    The server's certificate must be valid, unless the server is on this machine.
    """
    smtp_user: str = ""
    """User name. Empty: no login."""
    smtp_password: SecretStr = SecretStr("")
    """Password of this user."""
    smtp_starttls: bool = True
    """`false`: no encryption on ports other than 465; only for a server on this machine."""

    @field_validator(
        "public_url",
        "storefront_url",
        "gateway_url",
        "carrier_api_url",
        "google_issuer",
        "otel_exporter_otlp_endpoint",
        "invoice_api_url",
    )
    @classmethod
    def _check_http_url(cls, url: str) -> str:
        return http_url(url)

    @field_validator("payment_providers", "fulfillment_providers", "invoice_providers")
    @classmethod
    def _check_providers(cls, listed: str) -> str:
        split_providers(listed)
        return listed

    @field_validator("vapid_private_key")
    @classmethod
    def _check_vapid_key(cls, key: SecretStr) -> SecretStr:
        if key.get_secret_value():
            parse_vapid_key(key.get_secret_value())
        return key

    @field_validator("database_url")
    @classmethod
    def _check_database_url(cls, url: str) -> str:
        return to_async_url(url) if url else url

    @field_validator("pictures_url", "backup_url")
    @classmethod
    def _check_store_url(cls, url: SecretStr) -> SecretStr:
        if url.get_secret_value():
            parse_s3_address(url.get_secret_value())
        return url

    @field_validator("data_dir")
    @classmethod
    def _resolve_data_dir(cls, path: Path) -> Path:
        return PROJECT / path.expanduser()

    @field_validator("ssl_cert_file")
    @classmethod
    def _check_cert_file(cls, path: Path | None) -> Path | None:
        if path is None or path == Path():
            return None
        file = PROJECT / path.expanduser()
        try:
            is_file = file.is_file()
        except OSError:  # such as a name that is too long
            is_file = False
        if not is_file:
            raise value_error(ProblemKind.NO_FILE)
        return file

    @field_validator("trusted_proxies")
    @classmethod
    def _check_networks(cls, networks: str) -> str:
        for network in filter(None, map(str.strip, networks.split(","))):
            try:
                ip_network(network, strict=False)
            except ValueError:
                raise value_error(ProblemKind.NOT_NETWORKS) from None
        return networks

    @field_validator("store_cors", "admin_cors", "auth_cors")
    @classmethod
    def _check_origins(cls, listed: str) -> str:
        parse_origins(listed)
        return listed

    @field_validator("allowed_hosts")
    @classmethod
    def _check_hosts(cls, listed: str) -> str:
        parse_hosts(listed)
        return listed

    @field_validator("search_synonyms")
    @classmethod
    def _check_synonyms(cls, groups: str) -> str:
        parse_synonyms(groups)
        return groups

    @field_validator("private_key")
    @classmethod
    def _check_aes_key(cls, key: SecretStr) -> SecretStr:
        text = key.get_secret_value()
        if text and (len(text) != 32 or any(c not in "0123456789abcdefABCDEF" for c in text)):
            raise value_error(ProblemKind.NOT_AES_KEY)
        return key

    @model_validator(mode="before")
    @classmethod
    def _clear_demo_warehouse(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Clear the suburb and directions of the demo warehouse if another address is set.

        Otherwise labels would combine the shop's address with parts of the demo address.
        """
        if given.get("carrier_origin_address"):
            parts = ("suburb", "cross_street", "reference")
            return {**{f"carrier_origin_{part}": "" for part in parts}, **given}
        return given

    @model_validator(mode="after")
    def _check_complete(self) -> Self:
        problems = [*self._gateway_problems()]
        if self.alert_webhook and not self._text("ALERT_WEBHOOK_SECRET"):
            problems.append(_missing("ALERT_WEBHOOK", "ALERT_WEBHOOK_SECRET"))
        problems += self._invoice_problems()
        if self.workers > 1 and not self.redis_url:
            problems.append(create_problem(ProblemKind.NEEDS_REDIS))
        if self.gateway_env is GatewayEnv.PRODUCTION:
            problems += self._production_problems()
        if problems:
            raise IncompleteSettings(problems)
        return self

    def _gateway_problems(self) -> list[SettingProblem]:
        missing = [name for name in GATEWAY_CREDENTIALS if not self._text(name)]
        if not missing:
            return []
        if self.gateway_env is GatewayEnv.PRODUCTION:
            return [_missing("GATEWAY_ENV=production", name) for name in missing]
        if len(missing) < len(GATEWAY_CREDENTIALS):
            return [create_problem(ProblemKind.INCOMPLETE_GATEWAY, missing=", ".join(missing))]
        return []

    def _invoice_problems(self) -> list[SettingProblem]:
        given = [name for name in INVOICE_CREDENTIALS if self._text(name)]
        if not given or len(given) == len(INVOICE_CREDENTIALS):
            return []
        missing = [name for name in INVOICE_CREDENTIALS if name not in given]
        return [create_problem(ProblemKind.INCOMPLETE_INVOICES, missing=", ".join(missing))]

    def _production_problems(self) -> list[SettingProblem]:
        problems = []
        if not self.public_url.startswith("https://"):
            problems.append(create_problem(ProblemKind.NEEDS_PUBLIC_URL))
        for name in ("SECRET_KEY", "REVALIDATE_SECRET", "METRICS_TOKEN", "ALERT_WEBHOOK_SECRET"):
            if self._text(name) and estimate_bits(self._text(name)) < MIN_SECRET_BITS:
                problems.append(
                    create_problem(ProblemKind.WEAK_SECRET, name=name, command=RANDOM_TEXT_COMMAND)
                )
        if not self._text("SECRET_KEY"):
            problems.append(create_problem(ProblemKind.NEEDS_SECRET_KEY, command=RANDOM_TEXT_COMMAND))
        if not self._text("CARRIER_API_KEY"):
            problems.append(_missing("GATEWAY_ENV=production", "CARRIER_API_KEY"))
        if "carrier_sandbox" not in self.model_fields_set:
            problems.append(create_problem(ProblemKind.NEEDS_CARRIER_SANDBOX))
        if not self.smtp_host:
            problems.append(create_problem(ProblemKind.NEEDS_SMTP_HOST))
        return problems

    def _text(self, name: str) -> str:
        value = getattr(self, name.lower())
        return value.get_secret_value() if isinstance(value, SecretStr) else value

    @property
    def provider_lists(self) -> dict[str, str]:
        """The providers that the settings declare, by service: see `backend.core.config.modules`."""
        return {service: getattr(self, name.lower()) for service, name in SETTING_NAMES.items()}

    @property
    def base_url(self) -> str:
        """Address under which customers and the gateway reach the shop, without a trailing slash."""
        return self.public_url or f"http://localhost:{self.port}"

    @cached_property
    def hosts(self) -> frozenset[str]:
        """Host names at which the shop answers requests. Empty without PUBLIC_URL: then it answers at every host."""
        if not self.public_url:
            return frozenset()
        return frozenset({host_of(urlsplit(self.public_url).netloc)}) | parse_hosts(self.allowed_hosts)

    @cached_property
    def cross_origins(self) -> dict[str, Origins]:
        """Sites whose pages may call each part of the API, by the first path segment."""
        return {
            "store": parse_origins(self.store_cors),
            "admin": parse_origins(self.admin_cors),
            "auth": parse_origins(self.auth_cors),
        }

    @property
    def uses_sandbox_gateway(self) -> bool:
        """True if the embedded gateway and bank replace the real ones."""
        return self.gateway_env is GatewayEnv.SANDBOX and not self.public_key

    @property
    def uses_sandbox_carrier(self) -> bool:
        """True if the embedded carrier replaces the real one."""
        return self.gateway_env is GatewayEnv.SANDBOX and not self.carrier_api_key.get_secret_value()

    @property
    def uses_sandbox_invoices(self) -> bool:
        """True if the embedded invoice provider replaces a real one."""
        return self.gateway_env is GatewayEnv.SANDBOX and not self.invoice_api_url

    @property
    def has_invoice_provider(self) -> bool:
        """True if invoices and other tax documents can be sent to a provider, real or embedded."""
        return bool(self.invoice_api_url) or self.uses_sandbox_invoices

    @property
    def creates_test_labels(self) -> bool:
        """True if labels are test labels of `/shipment_sandbox` (spec: Configuration, CARRIER_SANDBOX)."""
        return self.carrier_sandbox

    @property
    def has_google(self) -> bool:
        """True if customers can sign in with Google."""
        return bool(self.google_client_id and self.google_client_secret.get_secret_value())

    @property
    def async_database_url(self) -> str:
        """URL of the database: DATABASE_URL, or SQLite in the data folder."""
        return self.database_url or f"sqlite+aiosqlite:///{self.data_dir.resolve() / 'trompo.db'}"

    @property
    def redacted_database_url(self) -> str:
        """URL of the database without its password, to be displayed."""
        return make_url(self.async_database_url).render_as_string(hide_password=True)

    @cached_property
    def signing_key(self) -> str:
        """SECRET_KEY, or a key created at the first start and stored in the data folder, readable by its owner only."""
        if given := self.secret_key.get_secret_value():
            return given
        return read_or_create_secret(self.data_dir / "secret_key")

    @property
    def vapid_private_number(self) -> int | None:
        """VAPID_PRIVATE_KEY as a number; None without one."""
        key = self.vapid_private_key.get_secret_value()
        return parse_vapid_key(key) if key else None

    @property
    def revalidation_secret(self) -> str:
        """Shared secret of `POST /api/revalidate`: REVALIDATE_SECRET, or a secret derived from SECRET_KEY.

        With either setting, all replicas have the same secret. Without both, the secret is stored in the data
        folder.
        """
        if given := self.revalidate_secret.get_secret_value():
            return given
        if key := self.secret_key.get_secret_value():
            return hmac.new(key.encode(), b"revalidate", "sha256").hexdigest()
        return read_or_create_secret(self.data_dir / "revalidate_secret")


class AdminAccess(SourcedSettings):
    """Address of a shop, and the token with which an external program calls its Admin API. Neither is stored."""

    # For `trompo catalog assign`
    admin_jwt: SecretStr = SecretStr("")
    """Token of a staff member, from `POST /auth/user/emailpass`."""
    backend_url: str = ""
    """Address of the shop to change. Empty: this shop."""


def load_admin_access() -> AdminAccess:
    """Read ADMIN_JWT and BACKEND_URL, by default this shop's address (spec: Catalog-assignment procedure 2).

    Raises:
        SettingsError: ADMIN_JWT is missing, or one of the two settings is invalid; the message shows no value.
    """
    access = AdminAccess()
    token = access.admin_jwt.get_secret_value().strip()
    url = (access.backend_url or load_settings().base_url).rstrip("/")
    if not token:
        raise SettingsError("ADMIN_JWT is missing: set it to a token from POST /auth/user/emailpass.")
    if not (token.isascii() and token.isprintable() and " " not in token):
        raise SettingsError("ADMIN_JWT is not a token: it has characters that a header must not contain.")
    if not url.startswith(("http://", "https://")):
        raise SettingsError("BACKEND_URL must start with http:// or https://")
    return AdminAccess(admin_jwt=SecretStr(token), backend_url=url)


def load_settings() -> Settings:
    """Read the settings.

    Raises:
        SettingsError: some are malformed or missing; the message has a line for each problem, and contains no secret.
    """
    settings, problems = _read_settings()
    if settings is None or problems:
        raise settings_error(*problems)
    if settings.ssl_cert_file:
        os.environ["SSL_CERT_FILE"] = str(settings.ssl_cert_file)  # httpx and OpenSSL read it there
    return settings


class LanguageSettings(SourcedSettings):
    """The store's language alone, which can be read even if other settings are invalid."""

    store_locale: str = Field(default=DEFAULT_LOCALE, pattern=LOCALE_PATTERN)


def read_store_locale() -> str:
    """Return STORE_LOCALE, even if other settings are invalid; the default if it is invalid itself."""
    try:
        return LanguageSettings().store_locale
    except ValidationError:
        return DEFAULT_LOCALE


def _missing(setting: str, missing: str) -> SettingProblem:
    return create_problem(ProblemKind.MISSING, setting=setting, missing=missing)


def _list_prefixes() -> tuple[str, ...]:
    """Return the prefixes of settings of providers outside this program: `my_bank_` for the provider `my_bank`."""
    sources = (EnvFileSource(Settings), SecretFileSource(Settings), EnvSettingsSource(Settings))
    texts = (source.env_vars.get(name.lower()) or "" for source in sources for name in SETTING_NAMES.values())
    return tuple(f"{provider_id}_" for text in texts for provider_id in list_external_ids(text))


def _read_settings() -> tuple[Settings | None, list[SettingProblem]]:
    """Return the settings and all their problems. A malformed setting does not hide the problems of other settings."""
    problems = unknown_names(Settings, {*Settings.model_fields, *AdminAccess.model_fields}, _list_prefixes())
    usual: dict[str, Any] = {}
    while True:
        try:
            settings = Settings(**usual)
        except ValidationError as error:
            found = error.errors(include_input=False, include_url=False)
        else:
            return settings, problems + _addresses_without_credentials(settings)
        named = {str(problem["loc"][0]) for problem in found if problem["loc"]} - set(usual)
        for problem in found:
            context = problem.get("ctx", {})
            if problem["loc"]:
                setting = str(problem["loc"][0]).upper()
                problems.append(SettingProblem(problem["type"], problem["msg"], context, setting))
            else:  # a malformed setting is not reported as missing as well
                malformed = [name.upper() for name in usual]
                problems += [
                    one
                    for one in context["error"].problems
                    if not any(name in one.sentence.partition(":")[0].split() for name in malformed)
                ]
        if not named:
            return None, problems
        usual |= {name: Settings.model_fields[name].default for name in named}


def _addresses_without_credentials(settings: Settings) -> list[SettingProblem]:
    """Return a problem for each service whose URL is set without credentials.

    Such a URL would be ignored, because the shop uses its embedded sandbox instead of the service.
    """
    problems = []
    if settings.gateway_url and settings.uses_sandbox_gateway:
        problems.append(_missing("GATEWAY_URL", ", ".join(GATEWAY_CREDENTIALS)))
    if settings.carrier_api_url != CARRIER_API_URL and settings.uses_sandbox_carrier:
        problems.append(_missing("CARRIER_API_URL", "CARRIER_API_KEY"))
    return problems
