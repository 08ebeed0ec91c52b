"""The list of pictures: every drawing signs in under the file name the catalogue uses."""

from collections.abc import Callable

Drawing = Callable[[], str]
PICTURES: dict[str, Drawing] = {}


def picture(name: str) -> Callable[[Drawing], Drawing]:
    """Hang a drawing under its file name."""

    def hang(drawing: Drawing) -> Drawing:
        if name in PICTURES:
            raise ValueError(f"two drawings are called {name!r}")
        PICTURES[name] = drawing
        return drawing

    return hang


def svg(name: str) -> str:
    """The whole SVG document of a picture."""
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 960">{PICTURES[name]()}</svg>\n'
