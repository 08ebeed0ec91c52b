"""Returns: units that customers send back or never received, the shop's decision, and the refund."""
