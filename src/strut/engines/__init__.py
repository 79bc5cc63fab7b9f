"""The only home of the engines: thin adapters that own the conventions."""
