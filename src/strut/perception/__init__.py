"""Perception: how far the emotions of a robot are apart for an observer."""
