"""Walks of many steps: from a stand, into a stand and around a curve."""
