"""Who wants to be told when a sold-out toy is back."""
