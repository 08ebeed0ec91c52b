"""The tool that runs mutants (`make mutants`): its changes, its sample, its choice of tests, and its stored results."""

import ast
import importlib.util
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

import pytest

from tests.mutants import recording, results
from tests.mutants.areas import AREAS, ROOT, list_files
from tests.mutants.code_swap import CannotSwap, swap_functions
from tests.mutants.forks import Ended, Task, TaskFailed, run_tasks
from tests.mutants.mutated_import import MutatedFinder
from tests.mutants.operators import Mutant, list_mutants, mutate
from tests.mutants.recording import RecordedTest
from tests.mutants.results import Outcome, Result
from tests.mutants.selection import choose_sample, choose_tests, list_area, runs_at_import

RULES = """\
MAX_UNITS = 3


def find_free(stock: int | None, units: int) -> bool:
    \"\"\"Return 1 if there are more than 0.\"\"\"
    log.info("asked", 5)
    return stock is not None and stock - units > 0
"""
FILE = "backend/rules.py"


def describe(source: str) -> set[tuple[str, str, str]]:
    """Return the operator of each mutant, and its code before and after the change."""
    return {(mutant.operator, mutant.before, mutant.after) for mutant in list_mutants(FILE, dedent(source))}


def find_mutant(source: str, operator: str) -> Mutant:
    return next(mutant for mutant in list_mutants(FILE, source) if mutant.operator == operator)


def load_module(path: Path, source: str) -> ModuleType:
    """Return the module of a source that is written to a file."""
    path.write_text(source, "utf-8")
    spec = importlib.util.spec_from_file_location("rules", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("source", "changes"),
    [
        ("x = a < b", {("boundary", "a < b", "a <= b")}),
        ("x = a in b", {("comparison", "a in b", "a not in b")}),
        ("x = a and b", {("and/or", "a and b", "a or b")}),
        ("x = not a", {("not", "not a", "a")}),
        ("x = a * b", {("arithmetic", "a * b", "a // b")}),
        ("x = 7", {("number", "7", "8"), ("number", "7", "6")}),
        ("x = True", {("boolean", "True", "False")}),
        ("x = {a, b}", {("element", "{a, b}", "{b}"), ("element", "{a, b}", "{a}")}),
        ("x = [a for a in b if c]", {("condition", "for a in b if c", "for a in b")}),
        ("x = a if b else c", {("condition", "a if b else c", "a if not b else c")}),
        ("if a:\n    x = b", {("condition", "if a", "if not a")}),
        ("if a == b:\n    x = c", {("comparison", "a == b", "a != b")}),
        ("def f():\n    return a", {("return", "return a", "return None")}),
        ("def f():\n    raise a", {("removed raise", "raise a", "pass")}),
        ("async def f():\n    await a()", {("removed call", "await a()", "pass")}),
        ("x.y = a", {("removed assignment", "x.y = a", "pass")}),
        ("x += a", {("removed assignment", "x += a", "pass"), ("arithmetic", "x += a", "x -= a")}),
        ("@job\ndef f():\n    x = a", {("decorator", "@job def f", "def f")}),
    ],
)
def test_each_mutation_operator_makes_the_expected_change(
    source: str, changes: set[tuple[str, str, str]]
) -> None:
    assert describe(source) == changes


@pytest.mark.parametrize(
    "source",
    [
        '"""Return 1 if a < b."""',
        "import a",
        "x: int | None = a",
        "log.info(1)",
        'x = "1" + a',
        "x = zip(a, b, strict=True)",
        "@dataclass(frozen=True)\nclass A:\n    x: int",
        "@property\ndef f():\n    x = a",
        "def f():\n    return None",
        "x = cast(A | None, b)",
    ],
)
def test_texts_types_and_logs_are_not_mutated(source: str) -> None:
    assert describe(source) == set()


def test_mutant_changes_only_its_node() -> None:
    """Check that the other lines stay where they are, so a traceback names the line of the source."""
    mutant = find_mutant(RULES, "boundary")
    assert (mutant.scope, mutant.line, mutant.before) == ("find_free", 7, "stock - units > 0")
    changed = ast.unparse(mutate(RULES, mutant))
    assert changed == ast.unparse(ast.parse(RULES.replace("> 0\n", ">= 0\n")))
    assert [node.lineno for node in mutate(RULES, mutant).body] == [1, 4]


def test_mutant_keeps_its_id_while_other_code_changes() -> None:
    changed = f"import a\n\n\ndef other():\n    return a\n\n\n{RULES}"
    before = {mutant.id for mutant in list_mutants(FILE, RULES)}
    after = {mutant.id for mutant in list_mutants(FILE, changed)}
    assert after - before == {mutant.id for mutant in list_mutants(FILE, changed) if mutant.scope == "other"}
    assert before < after


def test_mutants_with_equal_changes_of_a_function_have_different_ids() -> None:
    ids = [mutant.id for mutant in list_mutants(FILE, "def f():\n    x = a < b\n    return a < b")]
    assert len(ids) == len(set(ids)) == 3


def test_every_area_has_enough_mutants_that_compile() -> None:
    for area in AREAS:
        mutants = list_area(area)
        assert len(mutants) == len({mutant.id for mutant in mutants}) >= 80, area
        for mutant in choose_sample(mutants, 1, 5):
            compile(mutate((ROOT / mutant.file).read_text("utf-8"), mutant), mutant.file, "exec")
    assert list_files("pricing") == ["backend/pricing.py"]


def test_sample_of_mutants_is_determined_by_the_seed_and_extended_by_a_higher_count() -> None:
    mutants = list_area("pricing")
    sample = choose_sample(mutants, 1, 20)
    assert choose_sample(reversed(mutants), 1, 20) == sample
    assert choose_sample(mutants, 1, 30)[:20] == sample
    assert choose_sample(mutants, 2, 20) != sample
    assert choose_sample([one for one in mutants if one != sample[0]], 1, 19) == sample[1:]


def test_tests_that_execute_the_mutated_line_are_chosen_most_promising_first() -> None:
    mutant = find_mutant(RULES, "boundary")
    executed, elsewhere = {FILE: [7]}, {FILE: [8]}
    tests = {
        "tests/backend/test_rules.py::test_slow": RecordedTest(2.0, True, executed),
        "tests/backend/test_rules.py::test_fast": RecordedTest(1.0, True, executed),
        "tests/backend/test_rules.py::test_other": RecordedTest(0.1, True, elsewhere),
        "tests/backend/test_rules.py::test_broken": RecordedTest(0.1, False, executed),
        "tests/backend/test_rules.py::test_both[postgresql]": RecordedTest(0.1, True, executed),
        "tests/backend/test_x.py::test_near": RecordedTest(0.1, True, executed),
        "tests/wire/test_x.py::test_far": RecordedTest(0.1, True, executed),
        "tests/wire/test_x.py::test_long": RecordedTest(99.0, True, executed),
    }
    assert choose_tests(mutant, tests, {FILE: [1, 4]}, 10) == [
        "tests/backend/test_rules.py::test_fast",
        "tests/backend/test_rules.py::test_slow",
        "tests/backend/test_x.py::test_near",
        "tests/wire/test_x.py::test_far",
        "tests/backend/test_rules.py::test_both[postgresql]",
    ]


def test_every_test_of_the_module_is_chosen_for_code_that_runs_at_import() -> None:
    constant = find_mutant(RULES, "number")
    tests = {
        "tests/backend/test_rules.py::test_a": RecordedTest(1.0, True, {FILE: [7]}),
        "tests/backend/test_x.py::test_b": RecordedTest(1.0, True, {"backend/x.py": [7]}),
    }
    assert (constant.before, constant.scope) == ("3", "")
    assert choose_tests(constant, tests, {FILE: [1, 4]}, 10) == ["tests/backend/test_rules.py::test_a"]
    in_function = find_mutant(RULES, "boundary")
    assert not runs_at_import(in_function, {FILE: [1, 4]})
    assert runs_at_import(in_function, {FILE: [1, 4, 7]})  # the module calls its own function


def test_functions_of_a_loaded_module_are_swapped_for_their_mutants(tmp_path: Path) -> None:
    source = (
        "def make(limit):\n    def check(x):\n        return x < limit\n    return check\n\n\n"
        "class Box:\n    def is_full(self, x):\n        return x > 3\n\n\ncheck = make(3)\n"
    )
    path = tmp_path / "rules.py"
    for mutant in [one for one in list_mutants(FILE, source) if one.operator == "boundary"]:
        module = load_module(path, source)
        check, is_full = module.check, module.Box().is_full
        assert (check(3), is_full(3)) == (False, False)
        swap_functions(str(path), source, mutate(source, mutant))
        assert (check(3), is_full(3)) == (mutant.scope == "make.check", mutant.scope == "Box.is_full")


def test_function_loaded_from_another_source_cannot_be_swapped(tmp_path: Path) -> None:
    path = tmp_path / "rules.py"
    load_module(path, f"import ast\n{RULES}")
    with pytest.raises(CannotSwap):
        swap_functions(str(path), RULES, mutate(RULES, find_mutant(RULES, "boundary")))


def test_function_whose_variables_would_change_cannot_be_swapped(tmp_path: Path) -> None:
    source = (
        "def make(box):\n    def check():\n        box.x = 1\n    return check\n\n\ncheck = make(object)\n"
    )
    load_module(tmp_path / "rules.py", source)
    with pytest.raises(CannotSwap):
        swap_functions(
            str(tmp_path / "rules.py"), source, mutate(source, find_mutant(source, "removed assignment"))
        )


def test_import_of_a_mutated_module_contains_the_change() -> None:
    mutant = next(one for one in list_area("pricing") if one.before == "19" and one.after == "20")
    assert MutatedFinder(mutant.file, mutant.id).find_spec("backend.money", None) is None
    spec = MutatedFinder(mutant.file, mutant.id).find_spec("backend.pricing", None)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    namespace: dict[str, Any] = module.__dict__
    code = spec.loader.get_code("backend.pricing")  # type: ignore[attr-defined]
    assert 20 in code.co_consts
    assert "STANDARD_RATE" not in namespace


def test_task_sends_messages_until_it_ends() -> None:
    def count(send: Callable[[Any], None]) -> None:
        send("one")
        send("two")

    tasks = [Task("a", count), Task("b", lambda _send: None)]
    ended = Ended(is_overdue=False)
    assert sorted(run_tasks(tasks, 2), key=str) == sorted(
        [("a", "one"), ("a", "two"), ("a", ended), ("b", ended)], key=str
    )


def test_endless_task_is_interrupted() -> None:
    def loop(send: Callable[[Any], None]) -> None:
        try:
            while True:
                pass
        except KeyboardInterrupt:
            send("interrupted")

    assert [message for _subject, message in run_tasks([Task("a", loop, max_cpu_s=1)], 1)] == [
        "interrupted",
        Ended(is_overdue=False),
    ]


def test_error_of_a_task_is_raised() -> None:
    def fail(_send: Callable[[Any], None]) -> None:
        raise ValueError("no such test")

    with pytest.raises(TaskFailed, match="no such test"):
        list(run_tasks([Task("subject", fail)], 1))


def test_result_is_reused_until_its_module_or_tests_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check that a killed mutant runs again only if its module changes or the failed test is removed."""
    monkeypatch.setattr(recording, "ROOT", tmp_path)
    monkeypatch.setattr(results, "FILE", tmp_path / "results.jsonl")

    def write(file: str, text: str) -> None:
        (tmp_path / file).write_text(text, "utf-8")
        recording.digest_file.cache_clear()

    write("rules.py", RULES)
    write("test_a.py", "def test_a(): ...")
    write("test_b.py", "def test_b(): ...")
    mutant = list_mutants("rules.py", RULES)[0]
    chosen = ["test_a.py::test_a[1]", "test_b.py::test_b"]
    killed = results.make_result(mutant, Outcome.KILLED, "test_a.py::test_a[1]", chosen)
    survived = results.make_result(mutant, Outcome.SURVIVED, "", chosen)
    results.store_result(survived)
    results.store_result(killed)
    assert results.load_results() == {mutant.id: killed}  # the latest

    def list_valid() -> list[Result]:
        return [one for one in (killed, survived) if results.is_valid(one, mutant, chosen)]

    assert list_valid() == [killed, survived]
    write("test_a.py", "def test_a(): assert True")
    assert list_valid() == [killed]
    write("test_a.py", "def test_other(): ...")
    assert list_valid() == []
    write("test_a.py", "def test_a(): ...")
    assert list_valid() == [killed, survived]
    write("rules.py", "")
    assert list_valid() == []
    recording.digest_file.cache_clear()


def test_table_counts_the_mutants_of_each_area() -> None:
    mutants = list_mutants(FILE, RULES)[:4]
    outcomes = (Outcome.KILLED, Outcome.TIMEOUT, Outcome.SURVIVED, Outcome.NO_TEST)
    found = {
        mutant.id: Result(mutant.id, outcome, "", 1, "")
        for mutant, outcome in zip(mutants, outcomes, strict=True)
    }
    table = results.format_table({"rules": mutants, "others": []}, found, {mutants[3].id: "the same"})
    assert table.splitlines()[2:] == [
        "| rules | 4 | 2 | 1 | 1 | 66.7 % |",
        "| others | 0 | 0 | 0 | 0 | – |",
        "| all | 4 | 2 | 1 | 1 | 66.7 % |",
    ]
    del found[mutants[0].id]
    assert "| rules | 4 (1 not run) | 1 |" in results.format_table({"rules": mutants}, found, {})
