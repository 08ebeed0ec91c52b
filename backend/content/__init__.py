"""What the office says on the shop's pages and in its mails: versions of each part, and what of them is shown now."""
