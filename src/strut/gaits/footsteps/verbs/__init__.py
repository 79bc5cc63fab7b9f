"""What planned steps add to the verbs of the command line."""
