"""Pictures of categories and collections in the Admin API: `thumbnail` in their metadata.

The platform has no field for them, and its clients store such a picture in the metadata.
"""

from backend.core.db.tables import JsonObject
from backend.core.errors import InvalidData
from backend.media.picture_widths import parse_uploaded_picture

THUMBNAIL = "thumbnail"
"""Metadata key of the URL of the picture."""


def split_picture(metadata: JsonObject | None, current: str) -> tuple[JsonObject | None, str]:
    """Split a request's metadata: return it without the picture, and the picture's new URL (empty for none).

    Without the key `THUMBNAIL`, the URL stays `current`. An empty value or null removes the picture.

    Raises:
        InvalidData: the value is neither the current picture nor one that was uploaded to the shop.
    """
    if metadata is None or THUMBNAIL not in metadata:
        return metadata, current
    rest = {name: value for name, value in metadata.items() if name != THUMBNAIL}
    picture = metadata[THUMBNAIL] or ""
    is_valid = isinstance(picture, str) and (
        picture in ("", current) or parse_uploaded_picture(picture) is not None
    )
    if not is_valid:
        raise InvalidData(
            f"Invalid request: Field 'metadata, {THUMBNAIL}' is not the address of an uploaded picture"
        )
    return rest, str(picture)


def join_picture(metadata: JsonObject | None, picture: str) -> JsonObject | None:
    """Return the metadata for a response, with the picture's URL; None without metadata and picture."""
    return {**(metadata or {}), **({THUMBNAIL: picture} if picture else {})} or None
