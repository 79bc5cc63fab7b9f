"""Control: reference and measured state → torques or servo goals. Standing, walking, and the automaton between them."""
