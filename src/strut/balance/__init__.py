"""Joint angles → a motion that stands."""
