"""Looking after a shop that runs: what goes by itself, and copies that bring it back."""
