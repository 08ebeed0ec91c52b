"""The customers screens (Clientes): the list and the detail of one customer."""
