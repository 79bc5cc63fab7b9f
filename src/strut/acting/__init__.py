"""Robot + emotion → a finished motion with its receipt."""
