"""What diagnosis adds to `strut check`."""
