"""Changes to what Reflex generates. Each refuses to build when the generated code is no longer what it knows."""
