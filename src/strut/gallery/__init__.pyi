"""Robots and emotions side by side on one page."""

from .demo import BODIES as BODIES, DemoMotion as DemoMotion
