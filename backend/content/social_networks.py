"""Networks on which a shop can have a profile."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SocialNetwork:
    """A network on which a shop has a profile: its name, the hosts of its addresses, and an example."""

    label: str
    hosts: frozenset[str]
    example: str


SOCIAL_NETWORKS: Mapping[str, SocialNetwork] = {
    name: SocialNetwork(label, frozenset({*hosts, *(f"www.{host}" for host in hosts)}), example)
    for name, label, hosts, example in (
        ("instagram", "Instagram", ("instagram.com",), "https://www.instagram.com/mitienda"),
        (
            "facebook", "Facebook", ("facebook.com", "m.facebook.com", "fb.com"),
            "https://www.facebook.com/mitienda",
        ),
        ("tiktok", "TikTok", ("tiktok.com",), "https://www.tiktok.com/@mitienda"),
        ("youtube", "YouTube", ("youtube.com", "m.youtube.com"), "https://www.youtube.com/@mitienda"),
        ("x", "X", ("x.com", "twitter.com"), "https://x.com/mitienda"),
    )
}  # fmt: skip
"""The networks by the fields of `BrandBody`."""
