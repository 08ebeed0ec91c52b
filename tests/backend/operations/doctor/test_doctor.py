"""`trompo doctor`: every check in a healthy shop, and each check with a fault."""

import json
import os
import socket
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr
from sqlalchemy import delete, func, select
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from backend.app import Shop, create_api
from backend.catalog.models import Product
from backend.channels.models import Region
from backend.core.clock import now
from backend.core.config.settings import GatewayEnv, Settings
from backend.core.web.http_client import RetryPolicy
from backend.edge.middleware.host_check import with_host_check
from backend.legal.texts import current_texts, save_text
from backend.media.picture_store import open_picture_store
from backend.office_settings import save_settings
from backend.operations.backup.models import Backup
from backend.operations.demo.seed import seed
from backend.operations.doctor import external_checks, shop_checks
from backend.operations.doctor.command import exit_code, format_json, format_text, run_checks
from backend.operations.doctor.findings import Finding, Status, run_check
from backend.payment.models import PaymentNotification
from backend.payment.providers.pse.client import GatewayClient, create_gateway_client, get_gateway_credentials
from backend.payment.providers.pse.requests import GatewayBases
from backend.shipping.providers.carrier.client import CarrierPolicy, create_carrier_client
from backend.staff.rights import COMMAND_LINE
from tests.spanish import find_english

ONCE = RetryPolicy(connect=5, read=5, write=5, attempts=1, pause=0)
PRODUCTION = {"gateway_env": GatewayEnv.PRODUCTION}
Answer = Callable[[httpx.Request], httpx.Response]


def no_connection(request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("refused", request=request)


async def find_results(check: AsyncIterator[Finding]) -> list[tuple[str, Status, str]]:
    return [
        (finding.name, finding.status, finding.message) for finding in await run_check("check", lambda: check)
    ]


async def test_report_about_a_healthy_shop_has_a_line_for_each_check(shop: Shop) -> None:
    await seed(shop.database, shop.settings)
    shop.settings.data_dir.mkdir(exist_ok=True)
    findings = await run_checks(shop)
    assert exit_code(findings) == 0, format_text(findings)
    by_name = {finding.name: finding for finding in findings}
    every = {"settings", "identity", "defaults", "gateway", "carrier", "labels", "mail", "clock", "disk"}
    assert every <= set(by_name)
    assert by_name["carrier"].message.startswith("Bogotá, D.C. → Medellín: $")
    assert by_name["gateway"].status is Status.OK
    assert by_name["products"].status is Status.WARNING
    text = format_text(findings)
    assert len(text.splitlines()) == len(findings)
    assert "\nbien   pasarela: la de ensayo: acepta las llaves y da " in text
    assert find_english(text.replace(str(shop.settings.data_dir), "…")) == []
    report = json.loads(format_json(findings))
    assert report["ok"] is True
    assert set(report["findings"][0]) == {"name", "status", "message"}


async def test_demo_products_are_reported_in_production(shop: Shop) -> None:
    await seed(shop.database, shop.settings)
    tried, (demo, *others) = [
        await find_results(shop_checks.check_products(shop.database, settings))
        for settings in (shop.settings, shop.settings.model_copy(update=PRODUCTION))
    ]
    async with shop.database.read() as session:
        toys = await session.scalar(select(func.count()).where(Product.status == "published"))
    assert demo == (
        "products",
        Status.WARNING,
        f"{toys} de {toys} son de la tienda de demostración: quítalos en /oficina/productos",
    )
    assert others == tried


async def test_missing_store_defaults_are_reported_as_a_failure(shop: Shop) -> None:
    await seed(shop.database, shop.settings)
    async with shop.database.transaction() as session:
        await session.execute(delete(Region))
    findings = await run_checks(shop)
    assert exit_code(findings) == 1
    assert "falla  datos iniciales: faltan: región; corre `trompo init`" in format_text(findings)


@pytest.mark.parametrize(
    "url", ["postgresql+asyncpg://a:hush@127.0.0.1:1/shop", "sqlite+aiosqlite:///{tmp_path}/hush.db"]
)
async def test_doctor_reports_the_database_before_init_and_runs_the_other_checks(
    settings: Settings, tmp_path: Path, url: str
) -> None:
    shop = Shop(settings.model_copy(update={"database_url": url.format(tmp_path=tmp_path)}))
    settings.data_dir.mkdir(exist_ok=True)
    findings = await run_checks(shop)
    await shop.stop()
    assert exit_code(findings) == 1
    failures = [finding.name for finding in findings if finding.status is Status.FAILURE]
    assert failures == ["database"], format_text(findings)
    assert {"gateway", "carrier", "mail", "disk"} <= {finding.name for finding in findings}
    assert findings[0].message.startswith("no responde, o todavía no tiene tablas: corre `trompo init`")
    assert "hush" not in format_text(findings)


async def test_age_of_the_newest_backup_is_reported(shop: Shop) -> None:
    real = shop.settings.model_copy(update=PRODUCTION)
    for settings, status in ((shop.settings, Status.OK), (real, Status.WARNING)):
        ((_, found_status, message),) = await find_results(shop_checks.check_backup(shop.database, settings))
        assert (found_status, "todavía no hay ninguna" in message) == (status, True)
    for days, age, status in (
        (3, "hace 3 días y 0 horas", Status.WARNING),
        (1, "hace 1 día y 0 horas", Status.OK),
        (0, "hace 0 horas", Status.OK),
    ):
        async with shop.database.transaction() as session:
            session.add(Backup(made_at=now() - timedelta(days=days, minutes=1), size=7))
        ((_, found_status, message),) = await find_results(shop_checks.check_backup(shop.database, real))
        assert (found_status, age in message) == (status, True)


async def test_unreachable_picture_store_is_reported_as_a_failure(shop: Shop) -> None:
    ((_, status, message),) = await find_results(shop_checks.check_pictures(shop.settings, shop.pictures))
    assert (status, message) == (Status.OK, "en la carpeta de datos")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = SecretStr(f"http://key:hush@127.0.0.1:{taken.getsockname()[1]}/toys")
        away = shop.settings.model_copy(update={"pictures_url": url})
        ((_, status, message),) = await find_results(
            shop_checks.check_pictures(away, open_picture_store(away))
        )
    assert (status, "hush" in message, "bucket toys" in message) == (Status.FAILURE, False, True)


async def test_legal_texts_that_nobody_has_reviewed_are_reported(shop: Shop) -> None:
    lines = await find_results(shop_checks.check_legal_texts(shop.database, shop.settings))
    assert [status for _, status, _ in lines] == [Status.WARNING] * 2
    async with shop.database.transaction() as session:
        await save_settings(session, COMMAND_LINE, {"store_address": "Calle 1 # 2-3"})
        for kind, text in (await current_texts(session)).items():
            await save_text(session, COMMAND_LINE, kind, text.source, seen=1, is_reviewed=True)
    ((_, status, _message),) = await find_results(shop_checks.check_legal_texts(shop.database, shop.settings))
    assert status is Status.OK


async def test_demo_identity_in_stored_settings_is_reported_as_a_failure(shop: Shop) -> None:
    real = shop.settings.model_copy(update=PRODUCTION)
    lines = await find_results(shop_checks.check_identity(shop.database, real))
    assert [status for _, status, _ in lines] == [Status.FAILURE] * 5
    own = dict.fromkeys(
        (f"carrier_origin_{part}" for part in ("address", "phone", "email", "company")), "own"
    )
    saved = {
        "store_legal_name": "Ronda S.A.S.", "store_nit": "800.197.268-4",
        "store_phone": "604", "store_email": "a@b.example", **own,
    }  # fmt: skip
    async with shop.database.transaction() as session:
        await save_settings(session, COMMAND_LINE, saved)
    ((_, status, message),) = await find_results(shop_checks.check_identity(shop.database, real))
    assert (status, "800.197.268-4" in message) == (Status.OK, True)
    async with shop.database.transaction() as session:
        await save_settings(session, COMMAND_LINE, {"store_nit": "800.197.268-5"})
    assert [
        status for _, status, _ in await find_results(shop_checks.check_identity(shop.database, real))
    ] == [Status.FAILURE]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (lambda _: httpx.Response(401, json={}), "no acepta las llaves: revisa p_cust_id_cliente"),
        (lambda _: httpx.Response(502, text="bad gateway"), "gateway"),
        (lambda _: httpx.Response(200, text="{"), "gateway"),
        (no_connection, "gateway"),
    ],
)
async def test_failing_gateway_is_reported_as_a_failure(
    settings: Settings, answer: Answer, expected: str
) -> None:
    client = GatewayClient(
        get_gateway_credentials(settings), GatewayBases.at_url("http://gw.test"), test_mode=True,
        transport=httpx.MockTransport(answer), policy=ONCE,
    )  # fmt: skip
    ((_, status, message),) = await find_results(external_checks.check_gateway(settings, client))
    await client.close()
    assert status is Status.FAILURE
    assert expected in message.casefold()


@pytest.mark.parametrize(
    "answer",
    [
        lambda _: httpx.Response(401, json={}),
        lambda _: httpx.Response(500),
        lambda _: httpx.Response(200, json={"status": "OK", "data": {"rates": []}}),
        no_connection,
    ],
)
async def test_failing_carrier_is_reported_as_a_failure(settings: Settings, answer: Answer) -> None:
    settings = settings.model_copy(update={"carrier_api_key": SecretStr("key")})
    client = create_carrier_client(settings, httpx.MockTransport(answer), CarrierPolicy(attempts=1, pause=0))
    ((_, status, message),) = await find_results(external_checks.check_quotation(settings, client))
    await client.close()
    assert status is Status.FAILURE
    assert "key" not in message.split()


async def test_hanging_doctor_check_is_ended_by_its_time_limit(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:  # accepts the connection and sends nothing
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        client = create_gateway_client(
            settings.model_copy(update={"gateway_url": address, "public_key": "x"})
        )
        lines = await run_check("gateway", lambda: external_checks.check_gateway(settings, client), 0.05)
        await client.close()
    assert [finding.status for finding in lines] == [Status.FAILURE]
    assert lines[0].message.startswith("no respondió en 0.05 segundos")


@pytest.mark.parametrize(
    ("values", "status"),
    [
        ({}, Status.OK),
        ({"carrier_api_key": SecretStr("x"), "carrier_sandbox": False}, Status.OK),
        ({"carrier_api_key": SecretStr("x"), **PRODUCTION}, Status.WARNING),
    ],
)
async def test_report_states_if_labels_are_real_or_test_labels(
    settings: Settings, values: dict[str, object], status: Status
) -> None:
    ((_, found_status, _message),) = await find_results(
        external_checks.check_labels(settings.model_copy(update=values))
    )
    assert found_status is status


async def test_unreachable_mail_server_is_reported_as_a_failure(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    nobody = settings.model_copy(update={"smtp_host": "127.0.0.1", "smtp_port": port})
    ((_, status, message),) = await find_results(external_checks.check_mail(nobody, ""))
    assert (status, "SMTP_HOST" in message) == (Status.FAILURE, True)
    ((_, status, _),) = await find_results(external_checks.check_mail(settings, ""))
    assert status is Status.WARNING


@pytest.mark.parametrize(
    ("health", "hook", "expected"),
    [
        (200, 200, {"address": Status.OK, "webhook": Status.OK}),
        (200, 405, {"address": Status.OK, "webhook": Status.FAILURE}),
        (200, 404, {"address": Status.OK, "webhook": Status.FAILURE}),
        (502, 502, {"address": Status.FAILURE, "webhook": Status.FAILURE}),
        (None, None, {"address": Status.FAILURE}),
    ],
)
async def test_public_url_and_webhook_are_checked_from_outside(
    settings: Settings, health: int | None, hook: int | None, expected: dict[str, Status]
) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        status = health if request.url.path == "/health" else hook
        return no_connection(request) if status is None else httpx.Response(status)

    own = settings.model_copy(update={"public_url": "https://tienda.test"})
    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as http:
        lines = await find_results(external_checks.check_public_address(own, http))
    assert {name: status for name, status, _ in lines} == expected


@pytest.mark.parametrize(
    ("token", "body", "status"),
    [
        ("", {"status": "ok"}, Status.OK),
        ("x", {"status": "ok", "checks": {"database": "ok"}}, Status.OK),
        ("x", {"status": "ok", "checks": {"database": "ok", "renderer": "none is up"}}, Status.WARNING),
        ("x", {"status": "ok"}, Status.OK),
        ("x", ["ok"], Status.OK),
    ],
)
async def test_doctor_reports_health_checks_with_the_metrics_token(
    settings: Settings, token: str, body: object, status: Status
) -> None:
    sent = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request.headers.get("authorization", ""))
        return httpx.Response(200, json=body if request.url.path == "/health" else None)

    own = settings.model_copy(update={"public_url": "https://tienda.test", "metrics_token": SecretStr(token)})
    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as http:
        (_, found_status, message), webhook = await find_results(
            external_checks.check_public_address(own, http)
        )
    assert (found_status, webhook[1]) == (status, Status.OK)
    assert ("renderer: none is up" in message) == (status is Status.WARNING)
    assert sent[0] == (f"Bearer {token}" if token else "")


async def test_proxy_that_changes_the_host_is_reported(settings: Settings) -> None:
    own = settings.model_copy(update={"public_url": "https://tienda.test"})
    shop = with_host_check(PlainTextResponse("hello"), own)
    for host, expected in (("tienda.test", []), ("shop:3000", ["hosts"])):

        async def proxied(scope: Scope, receive: Receive, send: Send, host: str = host) -> None:
            await shop({**scope, "headers": [(b"host", host.encode())]}, receive, send)

        async with httpx.AsyncClient(transport=httpx.ASGITransport(proxied)) as http:
            lines = await find_results(external_checks.check_public_address(own, http))
        assert [name for name, status, _ in lines if status is Status.FAILURE] == expected


async def test_webhook_check_stores_no_payment_notification(shop: Shop) -> None:
    own = shop.settings.model_copy(update={"public_url": "https://tienda.test"})
    async with httpx.AsyncClient(transport=httpx.ASGITransport(create_api(shop))) as http:
        lines = await find_results(external_checks.check_public_address(own, http))
    await shop.payments.inbox.stop()
    assert [(name, status) for name, status, _ in lines] == [("address", Status.OK), ("webhook", Status.OK)]
    async with shop.database.read() as session:
        assert (await session.execute(select(PaymentNotification))).all() == []


@pytest.mark.parametrize(("days", "status"), [(90, Status.OK), (5, Status.WARNING)])
async def test_certificate_that_expires_soon_is_reported_as_a_warning(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, days: int, status: Status
) -> None:
    async def read_certificate_expiry(host: str, port: int) -> object:
        assert (host, port) == ("tienda.test", 443)
        return now() + timedelta(days=days, hours=1)

    monkeypatch.setattr(external_checks, "read_certificate_expiry", read_certificate_expiry)
    own = settings.model_copy(update={"public_url": "https://tienda.test"})
    ((_, found_status, message),) = await find_results(external_checks.check_certificate(own))
    assert (found_status, f"{days} días" in message) == (status, True)


@pytest.mark.parametrize("error", [ConnectionRefusedError(), ssl.SSLCertVerificationError("no")])
async def test_unreachable_or_untrusted_certificate_is_reported_as_a_failure(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, error: OSError
) -> None:
    async def read_certificate_expiry(host: str, port: int) -> object:
        raise error

    error.verify_message = "expired"  # type: ignore[attr-defined]
    monkeypatch.setattr(external_checks, "read_certificate_expiry", read_certificate_expiry)
    own = settings.model_copy(update={"public_url": "https://tienda.test"})
    assert [status for _, status, _ in await find_results(external_checks.check_certificate(own))] == [
        Status.FAILURE
    ]


@pytest.mark.parametrize(
    ("free", "status"), [(2**40, Status.OK), (2**30, Status.WARNING), (2**20, Status.FAILURE)]
)
async def test_full_disk_is_reported(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, free: int, status: Status
) -> None:
    settings.data_dir.mkdir()
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": free}))
    assert [found_status for _, found_status, _ in await find_results(shop_checks.check_disk(settings))] == [
        status
    ]


async def test_disk_with_less_free_space_than_the_alert_limit_is_reported(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.data_dir.mkdir()
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 10 * 2**30}))
    early = settings.model_copy(update={"alert_disk_free_mb": 11 * 2**10})
    assert [found_status for _, found_status, _ in await find_results(shop_checks.check_disk(early))] == [
        Status.WARNING
    ]


@pytest.mark.parametrize(("apart", "status"), [(0, Status.OK), (5, Status.WARNING), (120, Status.FAILURE)])
async def test_wrong_clock_is_reported(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, apart: int, status: Status
) -> None:
    monkeypatch.setattr(shop_checks, "now", lambda: now() + timedelta(seconds=apart))
    assert [
        found_status for _, found_status, _ in await find_results(shop_checks.check_clock(shop.database))
    ] == [status]


def test_wrong_settings_are_reported_by_the_doctor(tmp_path: Path) -> None:
    """Run the doctor in a new process: its imports read the language, in spite of wrong settings."""
    wrong = {"DATA_DIR": str(tmp_path), "PORT": "everywhere", "CARRIER_SANDBOX": "perhaps"}
    result = subprocess.run(
        [sys.executable, "-c", "from backend.cli.main import main; main()", "doctor", "--json"],
        env={"PATH": os.environ["PATH"], **wrong},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stderr) == (1, "")
    names = [finding["message"].split(":")[0] for finding in json.loads(result.stdout)["findings"]]
    assert names == ["PORT", "CARRIER_SANDBOX"]
