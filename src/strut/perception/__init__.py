"""Perception: how different the emotions of a robot look to people."""
