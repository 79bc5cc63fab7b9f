"""Formats: readers and writers of files, one per format."""

from strut.front_door import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
