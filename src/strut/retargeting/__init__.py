"""Retargeting: turns a motion that breaks limits into the nearest feasible one."""
