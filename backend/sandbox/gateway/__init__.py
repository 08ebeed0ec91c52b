"""An embedded payment gateway and bank. They use the wire format of the real gateway (wire: gateway)."""

from backend.sandbox.gateway.faults import Fault, FaultKind, Faults, Operation
from backend.sandbox.gateway.gateway import SandboxGateway, create_sandbox_gateway

__all__ = ["Fault", "FaultKind", "Faults", "Operation", "SandboxGateway", "create_sandbox_gateway"]
