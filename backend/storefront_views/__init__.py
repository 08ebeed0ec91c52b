"""What the storefront's pages of an account, an order and its returns show."""
