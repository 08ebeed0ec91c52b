"""`gateway_pse`: the PSE gateway. Nothing outside this package knows how the gateway words things (wire: gateway)."""
