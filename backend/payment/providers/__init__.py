"""The ways to pay, one file or package a provider, behind the one interface of `base`."""
