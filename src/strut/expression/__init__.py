"""Emotion → Style."""
