"""The states of one payment session, and the only ways between them.

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
      pending_authorization rejected, canceled, expired                     the provider says how it ended
                            held                                            the gateway looks into it; or the money does
                                                                            not fit, or paid twice: a person decides
    unknown,                closed                                          we no longer wait: another bank was chosen,
      pending_authorization                                                 the reservation ended, or 48 h without word
    closed                  captured, rejected, canceled, expired, held     the provider says after all how it ended
    held                    captured, rejected, canceled, expired           it has decided; or a person has
    authorized              captured, canceled, held                        the money is taken, let go, or does not fit
    rejected, canceled,     captured                                        a person lets money that came late pay
      expired, failed                                                       (`honor`); a provider's late word never does
    captured                nothing                                         final

(spec: States and transitions.) `backend.payment.transitions._set_state` is the only function that changes
a state: `move` calls it and publishes the change; `capture_to_refund` calls it and publishes nothing.
Rejected, canceled, expired and failed are set only when the provider says so.
"""

from enum import StrEnum

from backend.core.transitions import Transitions


class SessionState(StrEnum):
    """Where one payment session stands."""

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
        """Whether the provider's word changes nothing any more."""
        return self in FINAL

    @property
    def is_open(self) -> bool:
        """Whether the provider has still to say how it ends, and the order waits for it."""
        return self in OPEN

    def leads_to(self, other: "SessionState") -> bool:
        """Whether the session may go from here to `other`."""
        return STEPS.allow(self, other)


S = SessionState
FINAL = frozenset({S.CAPTURED, S.REJECTED, S.CANCELED, S.EXPIRED, S.FAILED})
OPEN = frozenset({S.INITIATING, S.UNKNOWN, S.PENDING_AUTHORIZATION, S.HELD})
CHECKED = OPEN | {S.CLOSED}
"""These are checked."""
LIVE = frozenset({S.PENDING, S.INITIATING, S.PENDING_AUTHORIZATION})
"""At most one session of a collection is in these at a time; the database sees to it."""
AT_THE_BANK = frozenset({S.INITIATING, S.PENDING_AUTHORIZATION})
"""The cart refuses changes while its session is in these (and while that one is held)."""

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
