"""Library: motions of any robot in one file, found by what they express."""
