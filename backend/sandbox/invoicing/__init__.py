"""An invoice provider inside the shop's own process, for the demo, for work and for tests.

It reads what it is sent as the DIAN would, by code of its own: what the shop's provider misunderstands this one does
not. It signs nothing and sends nothing anywhere.
"""

from backend.sandbox.invoicing.app import SandboxInvoicing, sandbox_invoicing
from backend.sandbox.invoicing.faults import Fault

__all__ = ["Fault", "SandboxInvoicing", "sandbox_invoicing"]
