"""The office: where the shop's people work. Its screens are pages of their own; a shopper's pages hold none of it."""
