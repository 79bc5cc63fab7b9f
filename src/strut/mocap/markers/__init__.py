"""Markers of a recording: their names as landmarks, gaps, faults, and the axes of the laboratory."""
