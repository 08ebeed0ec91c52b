"""The shop's pictures, videos and uploads, and where they are stored."""
