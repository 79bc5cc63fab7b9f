"""Multi-phase optimal control for any model."""
