"""An embedded payment gateway and bank that speak the real wire format (wire: gateway)."""

from backend.sandbox.gateway.faults import Fault, Faults, Kind, Operation
from backend.sandbox.gateway.gateway import SandboxGateway, sandbox_gateway

__all__ = ["Fault", "Faults", "Kind", "Operation", "SandboxGateway", "sandbox_gateway"]
