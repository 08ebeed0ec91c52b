"""The screen of own deliveries and pickup points (Entregas)."""
