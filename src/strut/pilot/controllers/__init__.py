"""Controllers of a biped: state estimate, state machine, and the torques of standing and walking."""
