"""What goes wrong at the carrier, whatever shape it is told in (wire: carrier 2.1)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from backend.errors import OutsideFailure


class CarrierError(OutsideFailure):
    """The carrier refused, failed or answered what cannot be understood. `fields` holds its words by field.

    Attributes:
        http_status: what it answered with; None when there was no answer.
        may_have_acted: whether the request may have had its effect nevertheless.
        is_passing: whether the same question may well be answered a moment later.
    """

    def __init__(
        self,
        message: str,
        *,
        http_status: int | None = None,
        fields: Mapping[str, str] | None = None,
        may_have_acted: bool = False,
        is_passing: bool = False,
    ) -> None:
        super().__init__(message, fields=fields)
        self.http_status = http_status
        self.may_have_acted = may_have_acted
        self.is_passing = is_passing


@dataclass(frozen=True, slots=True)
class Problem:
    """The carrier's own words: sentences, and messages by dotted field name (`destination.phone`)."""

    sentences: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return " ".join((*self.sentences, *(f"{name}: {text}" for name, text in self.fields.items())))


def problem_in(body: object) -> Problem:
    """What an error body says.

    `status_messages` is a list of objects, in older answers one object; its `error` is a sentence, or a title
    and then a sentence, or messages by field, which may be nested (wire: carrier 2.1).
    """
    if not isinstance(body, Mapping):
        return Problem()
    messages = body.get("status_messages")
    errors = [
        message["error"]
        for message in (messages if isinstance(messages, list) else [messages])
        if isinstance(message, Mapping) and "error" in message
    ]
    told = list(_told(errors, ""))
    return Problem(
        sentences=tuple(text for name, text in told if not name),
        fields={name: " ".join(text for other, text in told if other == name) for name, _ in told if name},
    )


def _told(value: object, name: str) -> Iterator[tuple[str, str]]:
    """Every sentence inside the value with the dotted name of the field it is about."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _told(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list):
        for inner in value:
            yield from _told(inner, name)
    elif isinstance(value, str):
        yield name, value
