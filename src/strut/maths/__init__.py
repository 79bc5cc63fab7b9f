"""Maths: pure functions of arrays and numbers."""
