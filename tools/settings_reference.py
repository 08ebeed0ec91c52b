"""Write `docs/settings.md`, the reference of all settings: `python -m tools.settings_reference`.

Names, defaults and limits are those of the settings' classes. The meaning is the docstring of each setting. A comment
`# The mail server` above a setting begins a new table.
"""

import ast
import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from backend.core.config import settings

REFERENCE = Path(__file__).resolve().parent.parent / "docs" / "settings.md"
CLASSES = (settings.Settings, settings.OfficeSettings, settings.Identity, settings.AdminAccess)
HEADING = re.compile(r"    # ([A-Z].*)")
SAVED = (*settings.OfficeSettings.model_fields,)
"""Settings that staff can save in the office."""
NAME = re.compile(r"`[^`]*`|\b[A-Z]{2,}_[A-Z_]+\b")
"""A code span, or the name of a setting outside one."""
DETAILS = {
    "allowed_hosts": "operations.md#the-shops-hosts",
    "trusted_proxies": "operations.md#starting",
    "drain_seconds": "operations.md#many-replicas",
    "database_pool": "operations.md#connections-to-postgresql",
    "database_pooler": "operations.md#connections-to-postgresql",
    "backup_url": "operations.md#backups",
    "metrics_token": "operations.md#metrics",
    "log_format": "operations.md#the-log",
    "otel_exporter_otlp_endpoint": "operations.md#traces",
    "store_cors": "operations.md#programs-in-browsers",
    "storefront_url": "operations.md#products-that-change",
    "alert_email": "operations.md#alerts",
    "alert_webhook": "operations.md#alerts",
    "google_client_id": "accounts.md#google",
    "carrier_min_rate": "shipping.md#the-price",
    "carrier_timeout": "shipping.md#the-price",
    "refuse_unquoted": "shipping.md#the-price",
    "label_over_paid": "shipping.md#what-a-person-decides",
    "packing_days": "shipping.md#the-promised-day",
    "cutoff_hour": "shipping.md#the-promised-day",
    "carrier_origin_company": "shipping.md#the-label",
    "admin_email": "accounts.md#staff",
}
"""The section of another document that explains a setting."""
INTRODUCTION = """\
# Settings

This page is generated from `backend/core/config/settings.py`: change a setting's docstring there, then run
`.venv/bin/python -m tools.settings_reference`.

All settings are optional, except those that [`GATEWAY_ENV=production`](#the-payment-gateway) requires. The shop reads
them when it starts. [Operations](operations.md#settings) explains where it reads them from. *Saved* marks the settings
whose value may also be saved in the office (Ajustes) or by `trompo init`. **A saved value wins over this setting.**
"""


def read_docstrings() -> Iterator[tuple[str, str, str]]:
    """Yield (heading, name, docstring) of every setting, in the order of the tables."""
    source = Path(settings.__file__).read_text("utf-8")
    lines = source.splitlines()
    bodies = {node.name: node.body for node in ast.parse(source).body if isinstance(node, ast.ClassDef)}
    for each in CLASSES:
        heading, body, line_number = "", bodies[each.__name__], 0
        for statement, following in zip(body, [*body[1:], None], strict=True):
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                for line in lines[line_number : statement.lineno]:
                    if match := HEADING.fullmatch(line):
                        heading = match[1]
                yield heading, statement.target.id, _read_text(following)
            line_number = statement.end_lineno or 0


def _read_text(statement: ast.stmt | None) -> str:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return " ".join(str(statement.value.value).split())
    return ""


def format_default(field: FieldInfo) -> str:
    """Return the default as it is written in the environment; a dash if it is empty."""
    value: Any = field.default
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, bool):
        value = str(value).lower()
    return "–" if value in (None, "") else f"`{value}`"


def format_limits(field: FieldInfo) -> str:
    """Return the smallest and largest value of a number; empty if there is none."""
    limits = {
        name: getattr(rule, name) for rule in field.metadata for name in ("ge", "le") if hasattr(rule, name)
    }
    return f"{limits['ge']:,} to {limits['le']:,}".replace(",", " ") if len(limits) == 2 else ""


def format_row(name: str, text: str, field: FieldInfo) -> str:
    """Return the setting's row of a table."""
    meaning = NAME.sub(lambda match: match[0] if match[0][0] == "`" else f"`{match[0]}`", text)
    if name in DETAILS:
        meaning += f" [Details]({DETAILS[name]})"
    if name in SAVED:
        meaning += " *Saved*"
    cells = (f"`{name.upper()}`", format_default(field), format_limits(field), meaning.replace("|", "\\|"))
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")


def write_reference() -> str:
    """Return the reference as Markdown."""
    tables: dict[str, list[str]] = {}
    fields = {**settings.Settings.model_fields, **settings.AdminAccess.model_fields}
    for heading, name, text in read_docstrings():
        tables.setdefault(heading, []).append(format_row(name, text, fields[name]))
    parts = [INTRODUCTION]
    for heading, rows in tables.items():
        title, _colon, note = heading.partition(": ")
        parts.append(f"## {title}\n" + (f"\n{note[0].upper()}{note[1:]}.\n" if note else ""))
        parts.append(
            "\n".join(("| setting | default | limits | meaning |", "|---|---|---|---|", *rows)) + "\n"
        )
    return "\n".join(parts)


if __name__ == "__main__":
    REFERENCE.write_text(write_reference(), "utf-8")
