"""Statistics: answers → tests, intervals and models."""
