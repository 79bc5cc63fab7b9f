"""Plan → joint angles."""
