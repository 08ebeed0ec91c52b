"""`fields`: which parts of an answer a program wants (wire: commerce-api, Conventions).

`a,b` replaces what is shown by default, `+a` adds to it, `-a` takes away, `*relation` is a relation as a whole, and
dots lead into relations. Unknown names are ignored; `id` always comes.
"""

from typing import Any

Node = dict[str, Any]
"""Names to nodes. `*`: all that is shown by default; `-`: the names taken away."""

EVERYTHING = "*"
MAX_LENGTH = 4000


class Fields:
    """A wish for fields, parsed once: `wants` says what has to be read, `pick` what is shown of it."""

    def __init__(self, text: str | None = None) -> None:
        names = [name for name in (part.strip() for part in _parts(text)) if name]
        self._root: Node = {}
        # a plain name replaces the defaults, except one that only adds, takes away or names a whole relation
        self.shows_defaults = not any(name[0] not in "+-*" for name in names)
        if self.shows_defaults:
            self._root[EVERYTHING] = {}
        for name in names:
            _plant(self._root, name)
        self.is_plain = self._root.keys() == {EVERYTHING}

    def wants(self, path: str, *, by_default: bool = False) -> bool:
        """Whether the field is to be read. `by_default`: it is shown where nothing else was asked for."""
        node = self._root
        for name in path.split("."):
            if name in node.get("-", ()):
                return False
            if name not in node:
                # a relation that was named without any of its fields is wanted whole
                return by_default and (EVERYTHING in node or (node is not self._root and not node))
            node = node[name]
        return True

    def pick(self, value: dict[str, Any]) -> dict[str, Any]:
        """The value with only what was asked for."""
        return value if self.is_plain else _pick(value, self._root)


def _parts(text: str | None) -> list[str]:
    """The names. A `+` in an unescaped query arrives as a space, so a leading space is read as one."""
    if not text:
        return []
    return [f"+{part[1:]}" if part.startswith(" ") else part for part in text[:MAX_LENGTH].split(",")]


def _plant(root: Node, name: str) -> None:
    mark = name[0] if name[0] in "+-*" else ""
    path = [step for step in name.removeprefix(mark).split(".") if step not in ("", EVERYTHING)]
    if not path:
        return
    *relations, last = path
    node = root
    for relation in relations:
        node = _into(node, relation)
    if mark == "-":
        node.setdefault("-", set()).add(last)
        return
    is_whole = mark == EVERYTHING or name.endswith(".*")
    child = _into(node, last)
    if is_whole:
        child[EVERYTHING] = {}


def _into(node: Node, name: str) -> Node:
    """The node below. Under defaults, what is named comes on top of what is shown anyway."""
    if name not in node:
        node[name] = {EVERYTHING: {}} if EVERYTHING in node else {}
    child: Node = node[name]
    return child


def _pick(value: Any, node: Node) -> Any:
    if isinstance(value, list):
        return [_pick(item, node) for item in value]
    if not isinstance(value, dict) or not node:
        return value
    away = node.get("-", ())
    shows_rest = EVERYTHING in node
    picked: dict[str, Any] = {}
    for name, part in value.items():
        if name in away:
            continue
        if name in node:
            picked[name] = _pick(part, node[name])
        elif shows_rest or name == "id":
            picked[name] = part
    return picked
