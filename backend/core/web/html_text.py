"""Conversion of HTML, which other programs write in descriptions, to text with paragraphs and lists."""

import re
from html.parser import HTMLParser

_PARAGRAPHS = frozenset(
    {"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "dl", "table", "blockquote", "pre", "hr", "section",
     "article", "figure"}
)  # fmt: skip
_LINES = frozenset({"div", "li", "tr", "dt", "dd", "figcaption", "center", "br"})
_INLINE = frozenset(
    {"a", "abbr", "b", "big", "code", "col", "colgroup", "del", "em", "font", "i", "iframe", "img", "ins", "label",
     "link", "mark", "meta", "o:p", "s", "small", "source", "span", "strike", "strong", "sub", "sup", "svg", "tbody",
     "td", "tfoot", "th", "thead", "u", "video"}
)  # fmt: skip
_HIDDEN = frozenset({"script", "style", "head", "title", "noscript"})
_TAGS = _PARAGRAPHS | _LINES | _INLINE | _HIDDEN | {"html", "body"}
_LOOSE_TEXT = frozenset(
    {"ul", "ol", "dl", "table", "tr", "thead", "tbody", "tfoot", "section", "article", "html", "body"}
)
"""Elements that contain only other elements. Spaces and line breaks between their child elements are ignored."""
_MARKUP = re.compile(
    rf"</?(?:{'|'.join(sorted(_TAGS, key=len, reverse=True))})(?:\s[^<>]*)?/?>|<!--"
    r"|&(?:[a-zA-Z]{2,8}|#[0-9]{1,7}|#x[0-9a-fA-F]{1,6});",
    re.IGNORECASE,
)
MAX_PASSES = 4
"""Maximum number of conversions of one text. More than one is needed, because some programs escape HTML twice."""
BULLET = "•"


def to_plain_text(text: str) -> str:
    """Return a text without HTML. Paragraphs and lines stay, items of lists begin with a bullet or their number.

    A text without known tags and entities is returned unchanged.
    """
    for _pass in range(MAX_PASSES):
        if not _MARKUP.search(text):
            return text
        parser = _TextParser()
        parser.feed(text)
        parser.close()
        converted = parser.to_text()
        if converted == text:
            return text
        text = converted
    return text


class _TextParser(HTMLParser):
    """Parser that collects the text of an HTML document. Outside of block elements, line breaks stay."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._parts: list[str] = []
        self._breaks = 0
        self._blocks: list[str] = []
        self._counters: list[int | None] = []
        self._hidden = 0

    def to_text(self) -> str:
        """Return the text."""
        return "".join(self._parts).strip()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - of the base class
        if tag not in _TAGS:
            self._add(self.get_starttag_text() or "")
        elif tag in _HIDDEN:
            self._hidden += 1
        elif tag == "br":
            self._breaks += 1
        elif tag in _PARAGRAPHS or tag in _LINES:
            self._break(2 if tag in _PARAGRAPHS and not (tag in ("ul", "ol") and "li" in self._blocks) else 1)
            if tag != "hr":
                self._blocks.append(tag)
            if tag in ("ul", "ol"):
                self._counters.append(0 if tag == "ol" else None)
            elif tag == "li":
                self._add(f"{self._next_mark()} ")
        elif tag in ("td", "th"):
            self._add(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in _HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        elif tag in self._blocks:
            while self._blocks.pop() != tag:
                pass
            self._break(2 if tag in _PARAGRAPHS and "li" not in self._blocks else 1)
            if tag in ("ul", "ol") and self._counters:
                self._counters.pop()

    def handle_data(self, data: str) -> None:
        if self._hidden:
            return
        if self._blocks:
            data = " ".join(f"x{data}x".split())[1:-1] if "pre" not in self._blocks else data
            if self._blocks[-1] in _LOOSE_TEXT and not data.strip():
                return
        lines = data.replace("\r\n", "\n").replace("\r", "\n").replace("\N{NO-BREAK SPACE}", " ").split("\n")
        for number, line in enumerate(lines):
            self._breaks += number > 0
            self._add(line)

    def _next_mark(self) -> str:
        """Return the bullet or the number of the next item of the innermost open list."""
        number = self._counters[-1] if self._counters else None
        if number is None:
            return BULLET
        self._counters[-1] = number + 1
        return f"{number + 1}."

    def _break(self, lines: int) -> None:
        self._breaks = max(self._breaks, lines)

    def _add(self, text: str) -> None:
        """Add the pending line breaks, then the text. Drop spaces next to the line breaks."""
        if not self._parts or self._breaks or self._parts[-1].endswith((" ", "\n")):
            text = text.lstrip(" \t")
        if not text:
            return
        if self._breaks and self._parts:
            self._parts[-1] = self._parts[-1].rstrip(" \t")
            self._parts.append("\n" * min(self._breaks, 2))
        self._breaks = 0
        self._parts.append(text)
