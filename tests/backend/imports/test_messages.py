"""Every problem, note and reason that reading and checking a file can give has its sentence."""

import ast
import importlib
import inspect
import textwrap
from collections.abc import Iterator
from pathlib import Path

import backend
from backend.catalog.importer.code_cells import find_code_fault
from backend.catalog.importer.tables.models import SetAsideReason, TableFault
from backend.imports.import_job import NOT_FETCHED
from backend.imports.messages import (
    FILE_NOTES,
    FILE_TEXTS,
    FORMAT_TEXTS,
    NOTE_TEXTS,
    PICTURE_TEXTS,
    ROW_TEXTS,
    SET_ASIDE_TEXTS,
    format_problem,
)
from backend.imports.picture_matching import NOT_STORED, Album
from backend.imports.spreadsheet_parsing import FAULTS, Fault
from backend.media.uploads import PictureRefused
from backend.spreadsheet_reader.models import ForeignFormat, Refusal

ROOT = Path(backend.__file__).parent
FOLDERS = ("catalog/importer", "catalog/schemas", "imports")
CODE_PLACES = {"Problem": 3, "add_problem": 2, "CellError": 1, "Note": 1, "Noted": 1}
"""Place of the code among the arguments, by the name of the class or method."""
NOTES = ("Note", "Noted")


def list_calls() -> Iterator[tuple[str, Path, ast.expr]]:
    """Yield each call with a problem code in the import's source: the called name, the module and the code."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if not isinstance(node, ast.Call):
                    continue
                name = (
                    node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                )
                if name not in CODE_PLACES:
                    continue
                codes = [one.value for one in node.keywords if one.arg == "code"]
                codes += node.args[CODE_PLACES[name] :][:1]
                yield from ((name, path, code) for code in codes)


def list_texts(path: Path, expression: ast.expr) -> Iterator[str]:
    """Yield the constant texts that an expression may have."""
    module = importlib.import_module("backend." + ".".join(path.relative_to(ROOT).with_suffix("").parts))
    if isinstance(expression, ast.IfExp):
        yield from list_texts(path, expression.body)
        yield from list_texts(path, expression.orelse)
    elif isinstance(expression, ast.Constant):
        yield str(expression.value)
    elif isinstance(expression, ast.Name) and isinstance(getattr(module, expression.id, None), str):
        yield getattr(module, expression.id)


def list_codes(*kinds: str) -> set[str]:
    return {
        text for kind, path, code in list_calls() if kind in kinds for text in list_texts(path, code) if text
    }


def list_returned(function: object) -> set[str]:
    """Return the constant texts that a function returns."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))  # type: ignore[arg-type]
    constants = (node for one in ast.walk(tree) if isinstance(one, ast.Return) for node in ast.walk(one))
    texts = {
        node.value for node in constants if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return {text for text in texts if any(map(str.isalpha, text))}


def test_each_problem_has_its_sentence() -> None:
    codes = list_codes(*(CODE_PLACES.keys() - set(NOTES)))
    assert len(codes) > 25
    assert codes - ROW_TEXTS.keys() == set()
    assert {code for code in list_returned(find_code_fault) if code.startswith("code ")} <= ROW_TEXTS.keys()


def test_each_note_has_its_sentence() -> None:
    codes = list_codes(*NOTES)
    assert len(codes) > 8
    assert codes - NOTE_TEXTS.keys() == set()


def test_each_problem_of_a_picture_has_its_sentence() -> None:
    codes = {*list_returned(Album.find_problem), NOT_FETCHED, NOT_STORED}
    assert codes >= {"gone", "missing", "damaged", "not fetched", "not stored"}
    assert {code for code in codes if f"picture {code}" not in ROW_TEXTS} - PICTURE_TEXTS.keys() == set()


def test_each_refusal_of_a_picture_has_its_sentence() -> None:
    source = inspect.getsource(inspect.getmodule(PictureRefused) or PictureRefused)
    reasons = {
        node.args[0].value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", "") == "PictureRefused"
        and isinstance(node.args[0], ast.Constant)
    }
    assert reasons - PICTURE_TEXTS.keys() == set()


def test_each_reason_to_leave_a_row_out_has_its_sentence() -> None:
    assert set(SetAsideReason) == SET_ASIDE_TEXTS.keys()


def test_each_fault_of_a_file_has_its_sentence() -> None:
    assert {Fault(one.value) for one in TableFault} | set(FAULTS.values()) <= set(Fault)
    assert FAULTS.keys() <= set(Refusal)
    assert set(Fault) - {Fault.OTHER_FORMAT} == FILE_TEXTS.keys()
    assert set(ForeignFormat) == FORMAT_TEXTS.keys()


def test_sentences_are_formatted_with_their_detail() -> None:
    for code in ROW_TEXTS.keys() - {"cell"}:
        assert "{" not in format_problem({"column": "sku", "code": code, "detail": "x"})
    for texts in (NOTE_TEXTS, FILE_NOTES, SET_ASIDE_TEXTS):
        assert all(text.format(detail="x").strip() for text in texts.values())
