"""The example dashboard and alert rules: their metrics exist, and the rules fire as intended."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from backend.app import Shop, create_api
from backend.core.config.settings import Settings
from storefront.server.build import ROOT

DEPLOY = ROOT / "deploy"
RULES = DEPLOY / "prometheus" / "trompo-rules.yml"
DASHBOARD = DEPLOY / "grafana" / "trompo.json"
NAME = re.compile(r"\btrompo_\w+")
promtool = pytest.mark.skipif(
    shutil.which("promtool") is None, reason="promtool is not installed (Debian: prometheus)"
)


@pytest.fixture
async def scrape(tmp_path: Path, sqlite_url: str) -> str:
    """Return a shop's metrics, as a monitoring system gets them."""
    settings = Settings.model_validate(
        {"data_dir": tmp_path, "database_url": sqlite_url, "metrics_token": "x"}
    )
    shop = Shop(settings)
    transport = httpx.ASGITransport(create_api(shop))
    async with httpx.AsyncClient(transport=transport, base_url="http://shop") as client:
        answer = await client.get("/metrics", headers={"authorization": "Bearer x"})
    await shop.stop()
    assert answer.status_code == 200
    return answer.text


def list_series(text: str) -> set[str]:
    """Return the names of the series in a scrape, including those without a value."""
    endings = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count")}
    return {
        family.name + ending
        for family in text_string_to_metric_families(text)
        for ending in endings.get(family.type, ("",))
    }


def list_expressions() -> Iterator[str]:
    dashboard = json.loads(DASHBOARD.read_text("utf-8"))
    for panel in dashboard["panels"]:
        yield from (target["expr"] for target in panel.get("targets", []))


async def test_every_metric_in_dashboard_and_alert_rules_is_exported_by_the_shop(scrape: str) -> None:
    series = list_series(scrape)
    used = {name for expression in list_expressions() for name in NAME.findall(expression)}
    assert len(used) > 15
    assert used - series == set()
    assert set(NAME.findall(RULES.read_text("utf-8"))) - series == set()


def test_dashboard_panels_are_complete_and_do_not_overlap() -> None:
    panels: list[dict[str, Any]] = json.loads(DASHBOARD.read_text("utf-8"))["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    cells = [
        (panel["gridPos"]["x"] + column, panel["gridPos"]["y"] + line)
        for panel in panels
        for column in range(panel["gridPos"]["w"])
        for line in range(panel["gridPos"]["h"])
    ]
    assert len(set(cells)) == len(cells), "panels overlap"
    assert all(panel["title"] and (panel["type"] == "row" or panel["targets"]) for panel in panels)


@promtool
def test_alert_rules_pass_their_tests() -> None:
    for command in (
        ["check", "rules", str(RULES)],
        ["check", "config", "--syntax-only", str(RULES.with_name("prometheus.yml"))],
        ["test", "rules", str(Path(__file__).with_name("rules_test.yml"))],
    ):
        run = subprocess.run(["promtool", *command], capture_output=True, text=True, check=False, timeout=60)
        assert run.returncode == 0, run.stdout + run.stderr


@promtool
def test_dashboard_expressions_are_valid(tmp_path: Path) -> None:
    records = [
        {"record": f"x{number}", "expr": expression} for number, expression in enumerate(list_expressions())
    ]
    rules = tmp_path / "rules.yml"
    rules.write_text(json.dumps({"groups": [{"name": "x", "rules": records}]}))
    run = subprocess.run(
        ["promtool", "check", "rules", str(rules)], capture_output=True, text=True, check=False, timeout=60
    )
    assert run.returncode == 0, run.stdout + run.stderr
