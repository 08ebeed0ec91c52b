"""The files in deploy/ fit the shop."""

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
from storefront.server.granian_server import HEADERS_TIMEOUT_S
from storefront.server.mount import LARGER_BODIES
from storefront.server.processes import EVENTS_TIMEOUT_S, REQUESTS_TIMEOUT_S
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
COMPOSE_NAMES = {"SITE", "OPEN_TO", "POSTGRES_PASSWORD", "REDIS_PASSWORD"}
PYTHON_NAMES = {"PYTHONUNBUFFERED"}
MAX_END_S = EVENTS_TIMEOUT_S + REQUESTS_TIMEOUT_S
"""Maximum seconds until a process ends, after `DRAIN_SECONDS`."""


def find_names(text: str) -> set[str]:
    return set(re.findall(r"^\s*#?([A-Z][A-Z_]+)=", text, re.MULTILINE))


def read_file(name: str) -> str:
    return (DEPLOY / name).read_text("utf-8")


def read_pod_spec() -> Any:
    return next(part for part in KUBERNETES if part["kind"] == "Deployment")["spec"]["template"]["spec"]


def test_every_variable_in_deploy_is_a_setting() -> None:
    assert find_names(read_file("env.example")) <= SETTINGS | COMPOSE_NAMES
    for shop in ("shop1", "shop2"):
        assert set(COMPOSE["services"][shop]["environment"]) <= SETTINGS
    assert {entry["name"] for entry in read_pod_spec()["containers"][0]["env"]} <= SETTINGS
    unit = re.findall(r"^Environment=(.*)$", read_file("trompo.service"), re.MULTILINE)
    assert {pair.partition("=")[0] for line in unit for pair in line.split()} <= SETTINGS | PYTHON_NAMES
    image = re.findall(r"^ENV (.*DATA_DIR.*)$", read_file("Dockerfile"), re.MULTILINE)
    assert {pair.partition("=")[0] for line in image for pair in line.split()} - {
        "PATH"
    } <= SETTINGS | PYTHON_NAMES


@pytest.mark.parametrize("environment", OVERLAYS)
def test_every_variable_of_an_overlay_is_a_setting(environment: str) -> None:
    values = yaml.safe_load(read_file(f"kubernetes/{environment}/kustomization.yaml"))
    variables = {pair.partition("=")[0] for pair in values["configMapGenerator"][0]["literals"]}
    assert variables
    assert variables <= SETTINGS


def test_production_overlay_starts_a_shop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that the secrets in the overlay's comment are all that it needs, and that it has no demo value."""
    text = read_file("kubernetes/production/kustomization.yaml")
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


def test_pod_has_a_data_folder_in_a_subfolder_of_its_volume() -> None:
    """Check for a subfolder: the root of a volume belongs to root, so the shop could not restrict access to it."""
    container = read_pod_spec()["containers"][0]
    folder = next(entry["value"] for entry in container["env"] if entry["name"] == "DATA_DIR")
    assert [mount["mountPath"] for mount in container["volumeMounts"]] == [str(Path(folder).parent), "/tmp"]


def test_every_compose_service_is_hardened() -> None:
    """Check capabilities (only the proxy has one), privileges and read-only file system of each service."""
    needed = {"proxy": ["NET_BIND_SERVICE"]}
    for name, service in COMPOSE["services"].items():
        assert service["cap_drop"] == ["ALL"], name
        assert service.get("cap_add", []) == needed.get(name, []), name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["read_only"] is True, name


def test_redis_password_is_not_in_the_process_list() -> None:
    redis = COMPOSE["services"]["redis"]
    assert redis["environment"] == {"REDISCLI_AUTH": "${REDIS_PASSWORD:?write it into deploy/.env}"}
    assert "REDIS_PASSWORD" not in " ".join(redis["command"])
    assert "requirepass" in " ".join(redis["command"])
    for shop in ("shop1", "shop2"):
        assert COMPOSE["services"][shop]["environment"]["REDIS_URL"].startswith("redis://:${REDIS_PASSWORD:?")


def test_only_the_shop_reaches_postgresql_and_redis() -> None:
    services = COMPOSE["services"]
    inside = {name for name, service in services.items() if "stores" in service["networks"]}
    assert inside == {"shop1", "shop2", "postgres", "redis"}
    assert COMPOSE["networks"]["stores"] == {"internal": True}
    assert services["postgres"]["networks"] == services["redis"]["networks"] == ["stores"]


def test_pod_has_only_the_rights_it_needs() -> None:
    assert read_pod_spec()["automountServiceAccountToken"] is False
    assert read_pod_spec()["securityContext"]["runAsNonRoot"] is True
    (container,) = read_pod_spec()["containers"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


def test_network_policy_allows_one_inbound_port_and_only_the_shops_outbound_calls() -> None:
    policy = next(part for part in KUBERNETES if part["kind"] == "NetworkPolicy")["spec"]
    deployment = next(part for part in KUBERNETES if part["kind"] == "Deployment")["spec"]
    assert policy["podSelector"] == deployment["selector"]
    assert policy["policyTypes"] == ["Ingress", "Egress"]
    (ingress_rule,) = policy["ingress"]
    assert [port["port"] for port in ingress_rule["ports"]] == ["http"]
    assert all(source.get("namespaceSelector") for source in ingress_rule["from"])
    dns, outside = policy["egress"]
    assert {port["port"] for port in dns["ports"]} == {53}
    assert {port["port"] for port in outside["ports"]} == {80, 443, 465, 587, 5432, 6379}
    assert "169.254.0.0/16" in outside["to"][0]["ipBlock"]["except"]


def test_comment_in_the_systemd_unit_explains_how_to_create_the_data_folder() -> None:
    """Check the command in the comment: `trompo init` needs the folder before systemd creates it."""
    unit = read_file("trompo.service")
    folder = re.search(r"DATA_DIR=(\S+)", unit)
    assert folder is not None
    assert f"install -d -o trompo -m 700 {folder[1]} " in unit


def test_docker_image_contains_all_sources_of_the_pages() -> None:
    copied = " ".join(re.findall(r"^COPY (?!--from)(.+) \S+$", read_file("Dockerfile"), re.MULTILINE)).split()
    assert {source for source in SOURCES if source != "requirements"} <= set(copied)
    assert "requirements/run.txt" in copied
    assert [name for name in copied if not (ROOT / name).exists()] == []


def test_docker_image_is_built_for_its_store_locale() -> None:
    image = read_file("Dockerfile")
    assert "STORE_LOCALE=$STORE_LOCALE python -m storefront.server.build" in image
    assert re.search(r"^ENV .* STORE_LOCALE=\$STORE_LOCALE$", image, re.MULTILINE)
    assert COMPOSE["services"]["shop1"]["build"]["args"] == {"STORE_LOCALE": "${STORE_LOCALE:-es}"}


def test_stop_timeouts_are_longer_than_draining() -> None:
    for shop in ("shop1", "shop2"):
        service = COMPOSE["services"][shop]
        assert (
            int(service["stop_grace_period"].removesuffix("s"))
            > service["environment"]["DRAIN_SECONDS"] + MAX_END_S
        )
    drain = next(
        int(entry["value"])
        for entry in read_pod_spec()["containers"][0]["env"]
        if entry["name"] == "DRAIN_SECONDS"
    )
    assert read_pod_spec()["terminationGracePeriodSeconds"] > drain + MAX_END_S
    unit = re.search(r"^TimeoutStopSec=(\d+)$", read_file("trompo.service"), re.MULTILINE)
    assert unit is not None
    assert int(unit[1]) > Settings().drain_seconds + MAX_END_S
    assert "KillMode=mixed" in read_file("trompo.service")


def test_storefront_url_in_compose_is_an_internal_address_of_a_replica() -> None:
    """Check that STOREFRONT_URL is an address inside the network.

    PUBLIC_URL would not do: in a try-out it is `https://localhost`, which leads to the shop's own container.
    """
    for shop in ("shop1", "shop2"):
        service = COMPOSE["services"][shop]
        url = urlsplit(service["environment"]["STOREFRONT_URL"])
        assert (url.scheme, url.port) == ("http", Settings().port)
        assert url.hostname in service["networks"]["inside"]["aliases"]


def test_proxy_closes_idle_connections_before_the_shop() -> None:
    idle_seconds = [
        int(seconds) for seconds in re.findall(r"^\s*keepalive (\d+)s$", read_file("Caddyfile"), re.MULTILINE)
    ]
    assert idle_seconds
    assert max(idle_seconds) < HEADERS_TIMEOUT_S


def read_proxy_limits() -> dict[str, tuple[list[str], int]]:
    """Return the paths and the maximum body size in bytes of each matcher in the Caddyfile."""
    text = read_file("Caddyfile")
    max_sizes = dict(re.findall(r"request_body @(\w+) \{\s*max_size (\d+)MB\s*\}", text))
    paths = re.findall(r"^\t@(\w+) (?:not )?path (.+)$", text, re.MULTILINE)
    return {name: (listed.split(), int(max_sizes[name]) * 1_000_000) for name, listed in paths}


def test_proxy_accepts_the_body_sizes_that_the_shop_accepts() -> None:
    """Check that the proxy's limits are a little above the shop's: the shop itself refuses larger bodies."""
    limits = read_proxy_limits()
    other_paths, max_size_of_others = limits.pop("others")
    max_size_by_path = {path: max_size for paths, max_size in limits.values() for path in paths}
    assert max_size_by_path.keys() == LARGER_BODIES.keys()
    for path, limit in LARGER_BODIES.items():
        assert limit.max_bytes < max_size_by_path[path] <= limit.max_bytes + MAX_DISCARDED_BYTES, path
    assert sorted(other_paths) == sorted(max_size_by_path)
    assert max_size_of_others > MAX_BODY_BYTES + MAX_DISCARDED_BYTES


def test_proxy_has_longer_body_timeouts_than_the_shop() -> None:
    timeouts = dict(re.findall(r"^\s*(read_body|write) (\d+[sm])$", read_file("Caddyfile"), re.MULTILINE))
    seconds = {name: int(value[:-1]) * {"s": 1, "m": 60}[value[-1]] for name, value in timeouts.items()}
    longest = max(limit.timeout_s for limit in LARGER_BODIES.values())
    assert seconds["read_body"] > longest
    assert seconds["write"] > seconds["read_body"]
