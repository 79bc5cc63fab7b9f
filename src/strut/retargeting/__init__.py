"""Retargeting: a motion that breaks limits → the nearest one that keeps them."""
