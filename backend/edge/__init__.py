"""What the HTTP API of every package needs: errors as answers, dependencies, authentication, queries, limits."""
