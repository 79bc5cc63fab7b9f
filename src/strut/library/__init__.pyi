"""Motions in one file, found by what they express."""

# Library
from .motion_library import MotionLibrary as MotionLibrary, LibraryEntry as LibraryEntry
