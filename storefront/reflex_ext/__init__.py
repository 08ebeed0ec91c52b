"""Everything that touches the internals of Reflex. `docs/reflex.md` lists each private name, and why it is used."""
