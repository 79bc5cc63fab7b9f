"""Diagnosis: many clips at once, measured in parallel; what is wrong with each, and a page with the worst moments."""
