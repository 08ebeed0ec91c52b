"""An embedded carrier for the demo, development and tests. It uses the wire format of the real carrier.

It shares no code with the shop's client of the carrier, so that an error in one of them cannot hide in both.
"""

from backend.sandbox.carrier.app import SandboxCarrier, create_sandbox_carrier
from backend.sandbox.carrier.faults import Fault, Faults

__all__ = ["Fault", "Faults", "SandboxCarrier", "create_sandbox_carrier"]
