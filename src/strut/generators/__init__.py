"""Style → what the feet and hands should do."""
