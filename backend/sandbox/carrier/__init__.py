"""An embedded carrier that uses the real one's wire format, for the demo, development and tests.

It shares no code with the shop's client, so that they cannot share a misunderstanding.
"""

from backend.sandbox.carrier.app import SandboxCarrier, create_sandbox_carrier
from backend.sandbox.carrier.faults import Fault, Faults

__all__ = ["Fault", "Faults", "SandboxCarrier", "create_sandbox_carrier"]
