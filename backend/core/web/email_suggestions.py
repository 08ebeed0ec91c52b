"""Suggestions for mistyped domains of e-mail addresses, such as `ana@gmial.com`."""

from difflib import get_close_matches

DOMAINS = ("gmail.com", "hotmail.com", "outlook.com", "yahoo.com", "icloud.com", "live.com", "une.net.co")
"""Domains that many customers in Colombia use, the most frequent first."""
PROVIDERS = frozenset({"hotmail", "outlook", "yahoo", "live"})
"""Names of providers that have domains in many countries, such as `yahoo.es`."""
SIMILAR_DOMAINS = frozenset(
    {"email.com", "fastmail.com", "googlemail.com", "mail.com", "rocketmail.com", "ymail.com"}
)
"""Real domains that look like one of `DOMAINS`."""
ENDINGS = {
    ".con": ".com",
    ".cmo": ".com",
    ".ocm": ".com",
    ".comm": ".com",
    ".cm": ".com",
    ".om": ".com",
    ".vom": ".com",
}
"""Mistyped endings, and the right ones."""
MIN_SIMILARITY = 0.8


def suggest_email(text: str) -> str:
    """Return the address with the domain that was probably meant; empty if the typed domain can be right."""
    name, _at, typed = text.strip().rpartition("@")
    domain = typed.casefold()
    if not name or domain in DOMAINS or domain in SIMILAR_DOMAINS:
        return ""
    for wrong, right in ENDINGS.items():
        if domain.endswith(wrong):
            domain = domain.removesuffix(wrong) + right
            break
    is_provider = domain.partition(".")[0] in PROVIDERS
    similar = [] if is_provider else get_close_matches(domain, DOMAINS, n=1, cutoff=MIN_SIMILARITY)
    meant = similar[0] if similar else domain
    return "" if meant == typed.casefold() else f"{name}@{meant}"
