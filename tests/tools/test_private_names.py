"""Private names of other modules are found in the tests' code."""

import pytest

from tools.private_names import find_private_uses

FILE = "tests/test_x.py"


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("client._http", "_http"),
        ("self._inherited", "_inherited"),
        ("labels._lock.cache_clear()", "_lock"),
        ("state._is_known = True", "_is_known"),
        ("from backend.core.money import _format", "_format"),
        ("from schemathesis._test import build", "_test"),
        ("import backend._hidden.money", "_hidden"),
        ('setattr(client, "_http", None)', "_http"),
        ('interrupt(client, "_send", act)', "_send"),
        ('patch.setattr("backend.payment.sessions._store", fail)', "_store"),
        ("class A(B):\n    def _run(self):\n        super()._run()", "_run"),
        ("from backend import labels\nclass A:\n    def _run(self): ...\nlabels._run()", "_run"),
    ],
)
def test_private_name_of_another_module_is_found(source: str, name: str) -> None:
    line = source.count("\n") + 1
    assert list(find_private_uses({FILE: source}, {})) == [
        f"{FILE}:{line}: a test must not use the private name {name} of another module"
    ]


@pytest.mark.parametrize(
    "source",
    [
        "class A:\n    def _run(self): ...\n    def run(self):\n        self._run()\nA()._run()",
        "class A:\n    def __init__(self):\n        self._calls = 0\nA()._calls",
        "class A:\n    _calls: int = 0\nA()._calls",
        "def _helper(): ...\n_helper()",
        "version._replace(stock=2)",
        "sys._getframe(1)",
        "value.__class__",
        'text.replace("_secret", "")',
        'text.replace("a", "_secret")',
        "from backend.core.texts import _",
    ],
)
def test_own_private_and_documented_names_are_allowed(source: str) -> None:
    assert list(find_private_uses({FILE: source}, {})) == []


def test_allowed_private_use_is_not_reported_but_an_unused_exception_is() -> None:
    allowed = {(FILE, "_http"): "a reason", (FILE, "_old"): "a reason"}
    assert list(find_private_uses({FILE: "client._http"}, allowed)) == [
        f"tools/private_names.py: {FILE} no longer uses _old"
    ]
