"""Control: reference and measured state → motor torques. Standing, walking, and the automaton between them."""
