"""`gateway_pse`: the PSE gateway. Only this package knows the gateway's formats (wire: gateway)."""
