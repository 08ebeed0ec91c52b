"""The files in deploy/ fit the shop that they start."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from backend.core.config.settings import GatewayEnv, Settings, load_settings
from backend.edge.middleware.body_limit import MAX_DISCARDED_BYTES
from backend.edge.requests import MAX_BODY_BYTES
from backend.office_settings import demo_problems
from storefront.server.build import SOURCES
from storefront.server.granian_server import HEADERS_WITHIN
from storefront.server.mount import LARGER_BODIES
from storefront.server.processes import EVENTS_WITHIN, REQUESTS_WITHIN
from tests.production import PRODUCTION

ROOT = Path(__file__).parent.parent.parent
DEPLOY = ROOT / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
KUBERNETES: list[dict[str, Any]] = list(
    yaml.safe_load_all((DEPLOY / "kubernetes" / "base" / "shop.yaml").read_text("utf-8"))
)
OVERLAYS = sorted(path.parent.name for path in (DEPLOY / "kubernetes").glob("*/kustomization.yaml"))
OVERLAYS.remove("base")
SETTINGS = {name.upper() for name in Settings.model_fields}
OF_COMPOSE = {"SITE", "POSTGRES_PASSWORD", "REDIS_PASSWORD"}
OF_PYTHON = {"PYTHONUNBUFFERED"}
TO_END = EVENTS_WITHIN + REQUESTS_WITHIN
"""Seconds that a process takes at most to end, after `DRAIN_SECONDS`."""


def names(text: str) -> set[str]:
    return set(re.findall(r"^\s*#?([A-Z][A-Z_]+)=", text, re.MULTILINE))


def text_of(name: str) -> str:
    return (DEPLOY / name).read_text("utf-8")


def pod() -> Any:
    return next(part for part in KUBERNETES if part["kind"] == "Deployment")["spec"]["template"]["spec"]


def test_every_name_is_a_setting() -> None:
    assert names(text_of("env.example")) <= SETTINGS | OF_COMPOSE
    for shop in ("shop1", "shop2"):
        assert set(COMPOSE["services"][shop]["environment"]) <= SETTINGS
    assert {entry["name"] for entry in pod()["containers"][0]["env"]} <= SETTINGS
    unit = re.findall(r"^Environment=(.*)$", text_of("trompo.service"), re.MULTILINE)
    assert {pair.partition("=")[0] for line in unit for pair in line.split()} <= SETTINGS | OF_PYTHON
    image = re.findall(r"^ENV (.*DATA_DIR.*)$", text_of("Dockerfile"), re.MULTILINE)
    assert {pair.partition("=")[0] for line in image for pair in line.split()} - {
        "PATH"
    } <= SETTINGS | OF_PYTHON


@pytest.mark.parametrize("environment", OVERLAYS)
def test_every_name_of_an_environment_is_a_setting(environment: str) -> None:
    values = yaml.safe_load(text_of(f"kubernetes/{environment}/kustomization.yaml"))
    given = {pair.partition("=")[0] for pair in values["configMapGenerator"][0]["literals"]}
    assert given
    assert given <= SETTINGS


def test_the_production_environment_opens_a_shop(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the secrets that it says it needs, and no command before the first start."""
    text = text_of("kubernetes/production/kustomization.yaml")
    secrets = re.search(r"^# with (.+)\.$", text, re.MULTILINE)
    assert secrets is not None
    for name in secrets[1].split(", "):
        monkeypatch.setenv(name, PRODUCTION.get(name, "x"))
    monkeypatch.setenv("DATABASE_URL", "postgresql://postgres/trompo")
    monkeypatch.setenv("REDIS_URL", "redis://redis")
    for pair in yaml.safe_load(text)["configMapGenerator"][0]["literals"]:
        name, _, value = pair.partition("=")
        monkeypatch.setenv(name, value)
    settings = load_settings()
    assert settings.gateway_env is GatewayEnv.PRODUCTION
    assert demo_problems(settings) == []


def test_a_pod_has_a_data_folder_of_its_own() -> None:
    """The root of a volume belongs to root, so the shop could not keep others out of it."""
    container = pod()["containers"][0]
    folder = next(entry["value"] for entry in container["env"] if entry["name"] == "DATA_DIR")
    assert [mount["mountPath"] for mount in container["volumeMounts"]] == [str(Path(folder).parent), "/tmp"]


def test_every_service_of_compose_is_hardened() -> None:
    """No capability but what is listed here, no new privileges, nothing written outside volumes."""
    needed = {"proxy": ["NET_BIND_SERVICE"]}
    for name, service in COMPOSE["services"].items():
        assert service["cap_drop"] == ["ALL"], name
        assert service.get("cap_add", []) == needed.get(name, []), name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["read_only"] is True, name


def test_redis_has_a_password_that_no_list_of_processes_shows() -> None:
    redis = COMPOSE["services"]["redis"]
    assert redis["environment"] == {"REDISCLI_AUTH": "${REDIS_PASSWORD:?write it into deploy/.env}"}
    assert "REDIS_PASSWORD" not in " ".join(redis["command"])
    assert "requirepass" in " ".join(redis["command"])
    for shop in ("shop1", "shop2"):
        assert COMPOSE["services"][shop]["environment"]["REDIS_URL"].startswith("redis://:${REDIS_PASSWORD:?")


def test_only_the_shop_reaches_the_stores() -> None:
    services = COMPOSE["services"]
    inside = {name for name, service in services.items() if "stores" in service["networks"]}
    assert inside == {"shop1", "shop2", "postgres", "redis"}
    assert COMPOSE["networks"]["stores"] == {"internal": True}
    assert services["postgres"]["networks"] == services["redis"]["networks"] == ["stores"]


def test_a_pod_has_no_rights_that_it_does_not_need() -> None:
    assert pod()["automountServiceAccountToken"] is False
    assert pod()["securityContext"]["runAsNonRoot"] is True
    (container,) = pod()["containers"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


def test_the_network_policy_lets_in_one_port_and_out_what_the_shop_calls() -> None:
    policy = next(part for part in KUBERNETES if part["kind"] == "NetworkPolicy")["spec"]
    deployment = next(part for part in KUBERNETES if part["kind"] == "Deployment")["spec"]
    assert policy["podSelector"] == deployment["selector"]
    assert policy["policyTypes"] == ["Ingress", "Egress"]
    (way_in,) = policy["ingress"]
    assert [port["port"] for port in way_in["ports"]] == ["http"]
    assert all(source.get("namespaceSelector") for source in way_in["from"])
    names_, outside = policy["egress"]
    assert {port["port"] for port in names_["ports"]} == {53}
    assert {port["port"] for port in outside["ports"]} == {80, 443, 465, 587, 5432, 6379}
    assert "169.254.0.0/16" in outside["to"][0]["ipBlock"]["except"]


def test_the_units_data_folder_is_made_before_its_first_start() -> None:
    """`trompo init` comes before it, and systemd makes the folder only then."""
    unit = text_of("trompo.service")
    folder = re.search(r"DATA_DIR=(\S+)", unit)
    assert folder is not None
    assert f"install -d -o trompo -m 700 {folder[1]} " in unit


def test_the_image_holds_all_that_pages_are_built_from() -> None:
    copied = " ".join(re.findall(r"^COPY (?!--from)(.+) \S+$", text_of("Dockerfile"), re.MULTILINE)).split()
    assert {source for source in SOURCES if source != "requirements"} <= set(copied)
    assert "requirements/run.txt" in copied
    assert [name for name in copied if not (ROOT / name).exists()] == []


def test_the_image_is_built_for_the_language_that_it_speaks() -> None:
    image = text_of("Dockerfile")
    assert "STORE_LOCALE=$STORE_LOCALE python -m storefront.server.build" in image
    assert re.search(r"^ENV .* STORE_LOCALE=\$STORE_LOCALE$", image, re.MULTILINE)
    assert COMPOSE["services"]["shop1"]["build"]["args"] == {"STORE_LOCALE": "${STORE_LOCALE:-es}"}


def test_who_starts_it_waits_until_it_has_drained() -> None:
    for shop in ("shop1", "shop2"):
        service = COMPOSE["services"][shop]
        assert (
            int(service["stop_grace_period"].removesuffix("s"))
            > service["environment"]["DRAIN_SECONDS"] + TO_END
        )
    drain = next(
        int(entry["value"]) for entry in pod()["containers"][0]["env"] if entry["name"] == "DRAIN_SECONDS"
    )
    assert pod()["terminationGracePeriodSeconds"] > drain + TO_END
    unit = re.search(r"^TimeoutStopSec=(\d+)$", text_of("trompo.service"), re.MULTILINE)
    assert unit is not None
    assert int(unit[1]) > Settings().drain_seconds + TO_END
    assert "KillMode=mixed" in text_of("trompo.service")


def test_each_replica_is_told_of_changes_at_an_address_that_leads_to_one() -> None:
    """Not at PUBLIC_URL: that of a try-out, `https://localhost`, is the container itself."""
    for shop in ("shop1", "shop2"):
        service = COMPOSE["services"][shop]
        told = urlsplit(service["environment"]["STOREFRONT_URL"])
        assert (told.scheme, told.port) == ("http", Settings().port)
        assert told.hostname in service["networks"]["inside"]["aliases"]


def test_the_proxy_lets_go_of_a_connection_before_the_shop_closes_it() -> None:
    kept = [
        int(seconds) for seconds in re.findall(r"^\s*keepalive (\d+)s$", text_of("Caddyfile"), re.MULTILINE)
    ]
    assert kept
    assert max(kept) < HEADERS_WITHIN


def proxy_bounds() -> dict[str, tuple[list[str], int]]:
    """The paths of each matcher in the Caddyfile, and how many bytes of a body it lets through."""
    text = text_of("Caddyfile")
    most = dict(re.findall(r"request_body @(\w+) \{\s*max_size (\d+)MB\s*\}", text))
    paths = re.findall(r"^\t@(\w+) (?:not )?path (.+)$", text, re.MULTILINE)
    return {name: (listed.split(), int(most[name]) * 1_000_000) for name, listed in paths}


def test_the_proxy_lets_through_what_the_shop_takes() -> None:
    """And little more: what is too long is refused by the shop, in its own words."""
    bounds = proxy_bounds()
    others, most_of_others = bounds.pop("others")
    let_through = {path: most for paths, most in bounds.values() for path in paths}
    assert let_through.keys() == LARGER_BODIES.keys()
    for path, bound in LARGER_BODIES.items():
        assert bound.most < let_through[path] <= bound.most + MAX_DISCARDED_BYTES, path
    assert sorted(others) == sorted(let_through)
    assert most_of_others > MAX_BODY_BYTES + MAX_DISCARDED_BYTES


def test_the_proxy_waits_for_a_body_as_long_as_the_shop_does() -> None:
    timeouts = dict(re.findall(r"^\s*(read_body|write) (\d+[sm])$", text_of("Caddyfile"), re.MULTILINE))
    seconds = {name: int(value[:-1]) * {"s": 1, "m": 60}[value[-1]] for name, value in timeouts.items()}
    longest = max(bound.within for bound in LARGER_BODIES.values())
    assert seconds["read_body"] > longest
    assert seconds["write"] > seconds["read_body"]
