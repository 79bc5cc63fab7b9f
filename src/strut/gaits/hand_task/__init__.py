"""Hand task: a hand follows its task, and the rest of the body expresses an emotion (Pepper)."""
