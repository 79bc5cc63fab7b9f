"""Capture: files of a motion-capture laboratory → recording → subject model → joint angles and gait events."""
