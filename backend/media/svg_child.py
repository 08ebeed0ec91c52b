"""Child process that renders the SVG in its standard input. It writes one line of JSON: the PNG or the fault.

Only shapes are accepted. Everything that could run, or that refers to something outside the file, is refused before
the renderer sees it: scripts, foreign elements, entities, style imports, and pictures other than embedded PNG and JPEG.
"""

import json
import re
import sys
from base64 import b64encode
from collections.abc import Mapping

from backend.core.child_process import limit_this_process
from backend.media.picture_processing import PictureFault, UnusablePicture

MAX_MEMORY_BYTES = 512 << 20
MAX_CPU_S = 5
RENDERED_SIDE = 1536
"""Width and height in pixels into which the picture is fitted."""
MAX_ASPECT_RATIO = 10
MAX_ELEMENTS = 20_000
NAMESPACE = "http://www.w3.org/2000/svg"
ELEMENTS = frozenset(
    {
        "svg", "g", "defs", "symbol", "use", "title", "desc", "metadata", "style", "switch", "path", "rect", "circle",
        "ellipse", "line", "polyline", "polygon", "linearGradient", "radialGradient", "stop", "pattern", "clipPath",
        "mask", "marker", "image", "filter", "feBlend", "feColorMatrix", "feComponentTransfer", "feComposite",
        "feDropShadow", "feFlood", "feFuncA", "feFuncB", "feFuncG", "feFuncR", "feGaussianBlur", "feMerge",
        "feMergeNode", "feMorphology", "feOffset",
    }
)  # fmt: skip
TEXT_ELEMENTS = frozenset({"text", "tspan", "textPath"})
EMBEDDED = re.compile(r"data:image/(?:png|jpeg);base64,[A-Za-z0-9+/=\s]*")
OUTSIDE_URL = re.compile(r"url\(\s*(?![\s'\"]*#)|@import|expression\(|javascript:", re.IGNORECASE)
"""A reference in a style or an attribute that is not to an element of the same file."""
LENGTH = re.compile(r"\s*([0-9]*\.?[0-9]+(?:e[+-]?[0-9]+)?)\s*(?:px|pt|mm|cm|in|pc)?\s*", re.IGNORECASE)


def main() -> None:
    """Read an SVG from the standard input. Write its PNG, or the fault, as JSON to the standard output."""
    limit_this_process(MAX_MEMORY_BYTES, MAX_CPU_S)
    try:
        answer = {"png": b64encode(render(sys.stdin.buffer.read())).decode()}
    except UnusablePicture as error:
        answer = {"fault": error.fault.value, "message": str(error)}
    sys.stdout.write(json.dumps(answer) + "\n")


def render(content: bytes) -> bytes:
    """Return the SVG as PNG.

    Raises:
        UnusablePicture: the SVG is refused by `check_svg`, or cannot be rendered.
    """
    import resvg_py

    text, width, height = check_svg(content)
    is_wide = width >= height
    try:
        return resvg_py.svg_to_bytes(
            svg_string=text,
            skip_system_fonts=True,
            width=RENDERED_SIDE if is_wide else None,
            height=None if is_wide else RENDERED_SIDE,
        )
    except ValueError as error:
        raise UnusablePicture(PictureFault.DAMAGED, "cannot be rendered") from error


def check_svg(content: bytes) -> tuple[str, float, float]:
    """Return the SVG as text, and its width and height.

    Raises:
        UnusablePicture: it is no SVG, or contains more than shapes.
    """
    from xml.etree import ElementTree as ET

    from defusedxml import ElementTree as SafeET
    from defusedxml.common import DefusedXmlException

    try:
        root = SafeET.fromstring(content, forbid_dtd=False, forbid_entities=True, forbid_external=True)
    except DefusedXmlException as error:
        raise UnusablePicture(PictureFault.UNSAFE, "defines entities, or refers to another file") from error
    except (ET.ParseError, ValueError, LookupError) as error:
        raise UnusablePicture(PictureFault.DAMAGED, "is no valid SVG") from error
    if root.tag != f"{{{NAMESPACE}}}svg":
        raise UnusablePicture(PictureFault.NO_PICTURE, "is no SVG")
    for number, element in enumerate(root.iter()):
        if number >= MAX_ELEMENTS:
            raise UnusablePicture(PictureFault.TOO_LARGE, "has too many elements")
        _check_element(element.tag, element.attrib, element.text or "")
    width, height = _read_size(root.get("width", ""), root.get("height", ""), root.get("viewBox", ""))
    ET.register_namespace("", NAMESPACE)
    return ET.tostring(root, encoding="unicode"), width, height


def _check_element(tag: str, attributes: Mapping[str, str], text: str) -> None:
    namespace, _end, name = tag.removeprefix("{").rpartition("}")
    if namespace != NAMESPACE:
        return  # an editor's own data, which is not rendered
    if name in TEXT_ELEMENTS:
        raise UnusablePicture(PictureFault.SVG_TEXT, "contains text: convert it to shapes")
    if name not in ELEMENTS:
        raise UnusablePicture(PictureFault.UNSAFE, f"contains the element {name[:20]}")
    if name == "style" and OUTSIDE_URL.search(text):
        raise UnusablePicture(PictureFault.UNSAFE, "refers to another file")
    for attribute, value in attributes.items():
        local = attribute.rpartition("}")[2].lower()
        is_embedded = name == "image" and EMBEDDED.fullmatch(value)
        is_outside = local in ("href", "src") and not value.strip().startswith("#") and not is_embedded
        if local.startswith("on") or is_outside or OUTSIDE_URL.search(value):
            raise UnusablePicture(PictureFault.UNSAFE, "contains a script, or refers to another file")


def _read_size(width: str, height: str, view_box: str) -> tuple[float, float]:
    """Return the width and height of the picture.

    Raises:
        UnusablePicture: it has no size, or is too long and narrow.
    """
    parts = view_box.replace(",", " ").split()
    sides = [_read_length(width), _read_length(height)]
    if len(parts) == 4 and 0 in sides:
        sides = [_read_length(parts[2]), _read_length(parts[3])]
    if not all(sides) or max(sides) > MAX_ASPECT_RATIO * min(sides):
        raise UnusablePicture(PictureFault.ODD_SHAPE, "has no size, or is too long and narrow")
    return sides[0], sides[1]


def _read_length(text: str) -> float:
    found = LENGTH.fullmatch(text)
    number = float(found[1]) if found else 0.0
    return number if 0 < number < 1e6 else 0.0


if __name__ == "__main__":
    main()
