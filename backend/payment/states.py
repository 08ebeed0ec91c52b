"""The states of a payment session, and the allowed steps between them.

    from                    to                                              because
    ----------------------  ----------------------------------------------  ------------------------------------------
    pending                 authorized                                      no bank page: the cart was completed
                            failed                                          the provider refused it
                            canceled                                        the cart changed, or its time is over
    initiating              pending_authorization, pending                  the provider started it
                            failed                                          it refused: nothing was started
                            unknown                                         no answer came: it may have been started
    unknown                 pending_authorization, failed                   the answer came late
    initiating, unknown,    captured, authorized                            approved
      pending_authorization rejected, canceled, expired                     the provider reports how it ended
                            held                                            the gateway reviews it, the amount differs,
                                                                            or it paid twice: a staff member decides
    unknown,                closed                                          we no longer wait: another bank was chosen,
      pending_authorization                                                 the reservation ended, or 48 h passed
    closed                  captured, rejected, canceled, expired, held     the provider reports the end later
    held                    captured, rejected, canceled, expired           the gateway or a staff member has decided
    authorized              captured, canceled, held                        the money arrived, will not arrive, or has
                                                                            another amount
    rejected, canceled,     captured                                        a staff member accepts late money (`honor`);
      expired, failed                                                       a provider's late report is not enough
    captured                nothing                                         final

(spec: States and transitions.) `backend.payment.transitions._set_state` is the only function that changes
a state: `move` calls it and publishes the change; `capture_to_refund` calls it and publishes nothing.
A payment that has started at a provider is never set to rejected, expired or failed without the provider's report.
"""

from enum import StrEnum

from backend.core.transitions import Transitions


class SessionState(StrEnum):
    """State of a payment session."""

    PENDING = "pending"
    INITIATING = "initiating"
    UNKNOWN = "unknown"
    PENDING_AUTHORIZATION = "pending_authorization"
    AUTHORIZED = "authorized"
    HELD = "held"
    CLOSED = "closed"
    CAPTURED = "captured"
    REJECTED = "rejected"
    CANCELED = "canceled"
    EXPIRED = "expired"
    FAILED = "failed"

    @property
    def is_final(self) -> bool:
        """True if a later report of the provider no longer changes the session."""
        return self in FINAL_STATES

    @property
    def is_open(self) -> bool:
        """True if the provider has not reported a final state yet and the order waits for it."""
        return self in OPEN_STATES

    def leads_to(self, other: "SessionState") -> bool:
        """Return True if the session may move from this state to `other`."""
        return STEPS.is_allowed(self, other)


S = SessionState
FINAL_STATES = frozenset({S.CAPTURED, S.REJECTED, S.CANCELED, S.EXPIRED, S.FAILED})
OPEN_STATES = frozenset({S.INITIATING, S.UNKNOWN, S.PENDING_AUTHORIZATION, S.HELD})
CHECKED_STATES = OPEN_STATES | {S.CLOSED}
"""States in which a session is checked with its provider."""
LIVE_STATES = frozenset({S.PENDING, S.INITIATING, S.PENDING_AUTHORIZATION})
"""A collection has at most one session in any of these states at a time; the database enforces this."""
AT_BANK_STATES = frozenset({S.INITIATING, S.PENDING_AUTHORIZATION})
"""While a session is in one of these states, its cart cannot be changed. The same is true while a session is held."""

_ENDS = frozenset({S.CAPTURED, S.REJECTED, S.CANCELED, S.EXPIRED, S.HELD})
_LATE = frozenset({S.CAPTURED})
STEPS = Transitions(
    "payment session",
    {
        S.PENDING: frozenset({S.AUTHORIZED, S.FAILED, S.CANCELED}),
        S.INITIATING: _ENDS | {S.PENDING_AUTHORIZATION, S.PENDING, S.AUTHORIZED, S.FAILED, S.UNKNOWN},
        S.UNKNOWN: _ENDS | {S.PENDING_AUTHORIZATION, S.AUTHORIZED, S.FAILED, S.CLOSED},
        S.PENDING_AUTHORIZATION: _ENDS | {S.AUTHORIZED, S.CLOSED},
        S.CLOSED: _ENDS,
        S.HELD: _ENDS - {S.HELD},
        S.AUTHORIZED: frozenset({S.CAPTURED, S.CANCELED, S.HELD}),
        S.REJECTED: _LATE,
        S.CANCELED: _LATE,
        S.EXPIRED: _LATE,
        S.FAILED: _LATE,
    },
)
