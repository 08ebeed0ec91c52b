"""The ways to pay, one file a provider, behind the one interface of `base`."""
