"""The shop's drawings: vector toys, brand marks and fonts, and the commands that make their files."""
