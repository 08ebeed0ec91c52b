"""All code that uses Reflex's internals. `docs/reflex.md` lists each private name and the reason for its use."""
