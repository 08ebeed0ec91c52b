"""Labels are merged in a child process with limits of memory and time.

| label | outcome |
|---|---|
| can be read | its pages, in order |
| damaged | left out and logged |
| takes too much memory or time | left out and logged; the others are merged |
| crashes the child three times in a row | no PDF |
"""

from io import BytesIO

import pytest
from pypdf import PdfReader

from backend.fulfillment import label_merging
from backend.fulfillment.label_merging import merge_labels
from tests.attacks import bombs


def count_pages(content: bytes | None) -> int:
    assert content is not None
    return len(PdfReader(BytesIO(content)).pages)


def test_labels_are_merged() -> None:
    assert count_pages(merge_labels([("ful_1", bombs.label()), ("ful_2", bombs.label())])) == 2


@pytest.mark.parametrize("bad", [b"", b"no PDF", bombs.label()[:200], bombs.repeated_dictionaries()], ids=len)
def test_damaged_label_is_left_out_of_the_merged_document(
    bad: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    assert count_pages(merge_labels([("ful_1", bad), ("ful_2", bombs.label())])) == 1
    assert [record.getMessage() for record in caplog.records] == [
        "the label of fulfillment ful_1 cannot be read"
    ]


def test_label_that_takes_too_long_is_left_out_of_the_merged_document(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(label_merging, "MAX_CPU_S", 2)
    labels = [("ful_1", bombs.label()), ("ful_2", bombs.expanding_references()), ("ful_3", bombs.label())]
    assert count_pages(merge_labels(labels)) == 2
    assert [record.getMessage() for record in caplog.records] == [
        "the label of fulfillment ful_2 cannot be read"
    ]


def test_no_document_is_created_if_no_label_can_be_merged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_merging, "MAX_CPU_S", 1)
    assert merge_labels([("ful_1", b"no PDF")]) is None
    assert merge_labels([(f"ful_{number}", bombs.expanding_references()) for number in range(4)]) is None
