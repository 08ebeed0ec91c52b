"""View models of the office's screens. Each function takes the `Actor` and checks its rights."""
