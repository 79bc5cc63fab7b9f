"""Typed tables: what a robot's folder says, file by file. Data only; `models` reads them, `Robot` carries them."""
