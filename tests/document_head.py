"""A parser for the head of an HTML document."""

from html.parser import HTMLParser


class Head(HTMLParser):
    """Parser of a document's head: its tags, and the text of its title and its scripts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self._inside = ""
        self.feed(html.partition("</head>")[0])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        self._inside = attributes.get("id") or attributes.get("type") or tag

    def handle_data(self, data: str) -> None:
        self.texts[self._inside] = data

    def meta(self, name: str) -> str | None:
        """Return the content of the meta tag with this name or property, or None if there is none.

        At most one such tag may exist.
        """
        found = [
            attrs
            for tag, attrs in self.tags
            if tag == "meta" and name in {attrs.get("name"), attrs.get("property")}
        ]
        assert len(found) < 2
        return found[0]["content"] if found else None

    def link(self, rel: str) -> dict[str, str | None]:
        """Return the attributes of the first link of this kind."""
        return next(attrs for tag, attrs in self.tags if tag == "link" and attrs.get("rel") == rel)

    def preloads(self, kind: str) -> list[dict[str, str | None]]:
        """Return the attributes of the preload links of this kind, in document order."""
        links = [attrs for tag, attrs in self.tags if tag == "link" and attrs.get("rel") == "preload"]
        return [attrs for attrs in links if attrs.get("as") == kind]
