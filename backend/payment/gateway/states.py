"""The gateway's transaction states (wire: gateway 1.8, States)."""

import unicodedata
from enum import IntEnum
from typing import Self


class GatewayState(IntEnum):
    """A state by the gateway's code. There is no 5."""

    ACCEPTED = 1
    REJECTED = 2
    PENDING = 3
    FAILED = 4
    REVERSED = 6
    HELD = 7
    STARTED = 8
    EXPIRED = 9
    ABANDONED = 10
    CANCELED = 11
    FRAUD = 12

    @property
    def text(self) -> str:
        """The gateway's own word for the state, as it stands in `x_response`."""
        return _TEXTS[self]

    @classmethod
    def from_code(cls, code: str) -> Self | None:
        """The state of a code as received; None for a code the gateway has not published."""
        try:
            return cls(int(code))
        except ValueError:
            return None

    def agrees_with(self, text: str) -> bool:
        """Whether the gateway's word names this state, whatever its case and accents."""
        return _plain(text) == _plain(self.text)


_TEXTS = {
    GatewayState.ACCEPTED: "Aceptada",
    GatewayState.REJECTED: "Rechazada",
    GatewayState.PENDING: "Pendiente",
    GatewayState.FAILED: "Fallida",
    GatewayState.REVERSED: "Reversada",
    GatewayState.HELD: "Retenida",
    GatewayState.STARTED: "Iniciada",
    GatewayState.EXPIRED: "Expirada",
    GatewayState.ABANDONED: "Abandonada",
    GatewayState.CANCELED: "Cancelada",
    GatewayState.FRAUD: "Antifraude",
}


def _plain(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c)).strip().casefold()
