"""A carrier inside the shop's own process that speaks the real one's wire format, for the demo, for work and for tests.

It shares no code with the shop's client: what one of them misunderstands the other does not.
"""

from backend.sandbox.carrier.app import SandboxCarrier, sandbox_carrier
from backend.sandbox.carrier.faults import Fault, Faults

__all__ = ["Fault", "Faults", "SandboxCarrier", "sandbox_carrier"]
