"""Log entries: text from outside cannot create an entry, and no entry contains personal data."""

import json
import logging
import re
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from backend.core.ids import new_id, secret_id
from backend.core.observability.logs import (
    HIDDEN,
    MAX_MESSAGE_LENGTH,
    MAX_TRACEBACK_LENGTH,
    JsonFormatter,
    LineFormatter,
    escape_controls,
    hide_in_log,
    log_scope,
)
from backend.core.outage import DatabaseUnavailable
from backend.core.web.passwords import new_token
from backend.edge.auth.bearer_tokens import TokenOwner, issue_token
from backend.orders.links.tokens import ORDER_LINK


def record(message: str, *args: object, error: BaseException | None = None) -> logging.LogRecord:
    info = (type(error), error, error.__traceback__) if error else None
    return logging.LogRecord("shop", logging.WARNING, "f", 1, message, args, info)


def entry(message: str, *args: object, error: BaseException | None = None) -> str:
    return LineFormatter().format(record(message, *args, error=error))


def as_json(message: str, *args: object, error: BaseException | None = None) -> dict[str, str]:
    written = JsonFormatter().format(record(message, *args, error=error))
    assert len(written.splitlines()) == 1
    parsed: dict[str, str] = json.loads(written)
    return parsed


@pytest.mark.parametrize("evil", ["a\nb", "a\rb", "a\x1b[31mb", "a\u2028b", "a\x85b", "a\0b", "a\ud800b"])
def test_log_entry_with_control_characters_is_one_line(evil: str) -> None:
    written = entry("name %s", evil)
    assert written.endswith(f"WARNING shop: name {escape_controls(evil)}")
    assert len(written.splitlines()) == 1
    assert as_json("name %s", evil)["message"] == f"name {escape_controls(evil)}"


def test_printable_text_is_not_escaped_in_the_log() -> None:
    assert escape_controls("Muñeca «Ñandú» 🪀") == "Muñeca «Ñandú» 🪀"


def test_long_log_message_is_shortened_with_a_note() -> None:
    written = entry("x" * (MAX_MESSAGE_LENGTH + 5))
    assert written.endswith("x… (5 more)")
    assert len(written) < MAX_MESSAGE_LENGTH + 100
    assert as_json("x" * (MAX_MESSAGE_LENGTH + 5))["message"].endswith("x… (5 more)")


def test_traceback_is_indented_and_its_end_is_logged() -> None:
    evil = ValueError(
        "x" * MAX_TRACEBACK_LENGTH + "\n2026-01-01 00:00:00,000 ERROR shop: someone must settle it"
    )
    first, *others = entry("failed", error=evil).splitlines()
    assert first.endswith("WARNING shop: failed")
    assert others[-1].endswith("someone must settle it")
    assert all(line.startswith("    ") for line in others)
    assert len("\n".join(others)) < MAX_TRACEBACK_LENGTH + 200
    assert as_json("failed", error=evil)["traceback"].endswith("someone must settle it")


def test_database_outage_is_logged_without_a_traceback() -> None:
    outage = DatabaseUnavailable("The database does not answer")
    written = entry("%s failed", "GET /", error=outage)
    assert written.endswith("WARNING shop: GET / failed: The database does not answer")
    assert "traceback" not in as_json("%s failed", "GET /", error=outage)


def test_json_log_entry_has_time_level_logger_and_message() -> None:
    made = record("%d products", 3)
    made.created = 1_780_000_000.25
    assert json.loads(JsonFormatter().format(made)) == {
        "time": "2026-05-28T20:26:40.250+00:00",
        "level": "WARNING",
        "logger": "shop",
        "message": "3 products",
    }


def test_log_entry_has_the_fields_of_its_scope_and_ids_from_its_message() -> None:
    order, payment = new_id("order"), new_id("payses")
    with log_scope(request_id="r1", order_id=order), log_scope(job="payment.check"):
        assert entry("payment %s", payment).endswith(
            f"payment {payment} [request_id=r1 order_id={order} job=payment.check payment_id={payment}]"
        )
        fields = as_json("payment %s", payment)
    assert (fields["request_id"], fields["order_id"], fields["payment_id"]) == ("r1", order, payment)
    assert entry("afterwards").endswith("shop: afterwards")


def test_fields_of_a_log_scope_do_not_replace_standard_fields() -> None:
    with log_scope(level="DEBUG", message="nothing", request_id="a\nb" * 200):
        written = as_json("a message")
    assert (written["level"], written["message"]) == ("WARNING", "a message")
    assert "\n" not in written["request_id"]
    assert len(written["request_id"]) < 130


def test_registered_personal_data_is_hidden_in_its_log_scope() -> None:
    typed = {
        "values": {
            "first_name": "Ana",
            "phone": "3001234567",
            "address": "Carrera 43A # 1-50",
            "bank": "1022",
        }
    }
    with log_scope(request_id="r1"):
        with log_scope(payment_id="p1"):
            hide_in_log([typed])
        written = entry("ANA (573001234567) at carrera 43a # 1-50: manana, bank 1022")
    assert f"{HIDDEN} (57{HIDDEN}) at {HIDDEN}: manana, bank 1022" in written
    assert "Ana" in entry("Ana, in another scope")


def test_hidden_texts_that_are_not_in_a_log_entry_compile_no_regular_expression(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiled: list[str] = []
    original = re.sub

    def sub(pattern: str, *args: Any, **kwargs: Any) -> str:
        compiled.append(pattern)
        return original(pattern, *args, **kwargs)

    monkeypatch.setattr("backend.core.observability.logs.re.sub", sub)
    with log_scope():
        hide_in_log({"email": [f"text{number:05}" for number in range(9_000)]})
        assert entry("it was text00042, not another").endswith(f"it was {HIDDEN}, not another")
        assert entry("none of them").endswith("none of them")
    assert compiled == ["text00042"]


def test_email_addresses_are_hidden_everywhere_in_the_log() -> None:
    assert entry("mail to ana.gomez+toys@correo.example.co failed").endswith(f"mail to {HIDDEN} failed")
    refused = ValueError({"ana@example.com": (550, b"no such user")})
    assert "ana@" not in entry("failed", error=refused)


@pytest.mark.parametrize(
    ("written", "logged"),
    [
        ("/order/order_1?token=abc was not rendered", f"/order/order_1?{HIDDEN} was not rendered"),
        (
            "for url 'https://shop.example/a%20b?code=1&state=x'",
            f"for url 'https://shop.example/a%20b?{HIDDEN}'",
        ),
        ("GET /?q=peluche", f"GET /?{HIDDEN}"),
        ("key sk_" + "0a" * 32, f"key {HIDDEN}"),
        ("at /bank/3Jz-" + "aB9_" * 8 + ".", f"at /bank/{HIDDEN}."),
        ("is it there? yes", "is it there? yes"),
        ("WHERE id = ? AND name IN (?, ?)", "WHERE id = ? AND name IN (?, ?)"),
        ("a_rather_long_name_of_a_function_2", "a_rather_long_name_of_a_function_2"),
        ("cart cart_01ARZ3NDEKTSV4RRFFQ69G5FAV!", "cart cart_…5FAV!"),
        ("it is payses_01ARZ3NDEKTSV4RRFFQ69G5FAV", "it is payses_01ARZ3NDEKTSV4RRFFQ69G5FAV"),
    ],
)
def test_url_queries_and_tokens_are_hidden_in_the_log(written: str, logged: str) -> None:
    assert entry("%s", written).endswith(logged)
    assert as_json("%s", written)["message"] == logged
    assert logged in entry("failed", error=ValueError(written))


def test_log_fields_contain_only_the_end_of_a_cart_id() -> None:
    cart = secret_id("cart")
    with log_scope(cart=cart):
        assert cart not in entry("lines of %s", cart)
        fields = as_json("lines of %s", cart)
    assert fields["cart"] == fields["cart_id"] == f"cart_…{cart[-4:]}"


def test_every_kind_of_token_is_hidden_in_the_log() -> None:
    owner = TokenOwner(id="cus_1", type="customer")
    for token in (ORDER_LINK.token("key", "order_1"), new_token(), issue_token("key", owner)):
        assert token not in entry("a link with %s in it", token)


def test_refused_values_of_validation_errors_are_hidden_in_the_log() -> None:
    class Form(BaseModel):
        age: int

    typed = {"age": "Calle 10 # 5-51"}
    with pytest.raises(ValidationError) as refused:
        Form.model_validate(typed)
    written = entry("failed", error=refused.value)
    assert "Calle" not in written
    assert "input_type=str" in written


def test_values_of_postgresql_errors_are_hidden_in_the_log() -> None:
    error = ValueError(
        "duplicate key\nDETAIL:  Key (email, name)=(ana, Ana Gómez) already exists.\nHINT:  none"
    )
    written = entry("failed", error=error)
    assert "Gómez" not in written
    assert "duplicate key" in written
    assert "HINT" in written
