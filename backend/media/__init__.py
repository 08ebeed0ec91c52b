"""The shop's pictures, videos and uploads, and their storage."""
