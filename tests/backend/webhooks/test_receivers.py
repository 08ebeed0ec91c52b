"""The receivers in `docs/webhooks.md`, and an independent library, accept calls of the shop and refuse others."""

import json
import re
import subprocess
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from backend.core.clock import now
from backend.core.web.webhook_signing import build_signed_headers, create_secret
from backend.webhooks.models import WebhookEvent
from tests.node_packages import NODE_FOLDER

DOCUMENT = (Path(__file__).parents[3] / "docs" / "webhooks.md").read_text("utf-8")
BODY = '{"event":"order.placed","data":{"id":"order_ñ"}}'.encode()
JS_CALL = """
import { isGenuine } from %s
let input = ""
for await (const part of process.stdin) input += part
console.log(JSON.stringify(JSON.parse(input).map(([secret, headers, body]) => isGenuine(secret, headers, body))))
"""


def read_block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", DOCUMENT, re.DOTALL)
    assert found
    return found[1]


def list_cases() -> list[tuple[str, Mapping[str, str], bytes, bool]]:
    """Return calls as tuples: the receiver's secret, headers, body, and True if the receiver must accept the call."""
    secret, other = create_secret(), create_secret()
    call = build_signed_headers([secret], "evt_1", now(), BODY)
    both = build_signed_headers([other, secret], "evt_1", now(), BODY)
    old = build_signed_headers([secret], "evt_1", now() - timedelta(minutes=6), BODY)
    return [
        (secret, call, BODY, True),
        (secret, both, BODY, True),
        (other, call, BODY, False),
        (secret, call, BODY + b" ", False),
        (secret, {**call, "webhook-id": "evt_2"}, BODY, False),
        (secret, {**call, "webhook-signature": "v1,"}, BODY, False),
        (secret, old, BODY, False),
    ]


def test_standard_webhooks_library_accepts_only_genuine_calls_of_the_shop() -> None:
    for secret, headers, body, is_genuine in list_cases():
        if is_genuine:
            assert Webhook(secret).verify(body, dict(headers)) == json.loads(BODY)
        else:
            with pytest.raises(WebhookVerificationError):
                Webhook(secret).verify(body, dict(headers))


def test_documented_python_receiver_accepts_only_genuine_calls_of_the_shop() -> None:
    module: dict[str, Any] = {}
    exec(read_block("python"), module)
    is_genuine: Callable[..., bool] = module["is_genuine"]
    for secret, headers, body, expected in list_cases():
        assert is_genuine(secret, headers, body) is expected


def test_documented_javascript_receiver_accepts_only_genuine_calls_of_the_shop(tmp_path: Path) -> None:
    (tmp_path / "receiver.mjs").write_text(read_block("js"), "utf-8")
    (tmp_path / "call.mjs").write_text(JS_CALL % json.dumps("./receiver.mjs"), "utf-8")
    cases = list_cases()
    calls = [(secret, headers, body.decode()) for secret, headers, body, _expected in cases]
    answer = subprocess.run(
        [NODE_FOLDER / "node", tmp_path / "call.mjs"],
        input=json.dumps(calls),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert json.loads(answer.stdout) == [expected for *_call, expected in cases]


def test_webhooks_document_lists_every_event() -> None:
    table = DOCUMENT.partition("## The events")[2].partition("## ")[0]
    listed = set(re.findall(r"`([a-z-]+\.[a-z]+|ping)`", table.partition("The names are")[0]))
    assert listed == {*WebhookEvent, "ping"}
