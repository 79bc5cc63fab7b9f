"""Control: reference and measured state → torques or servo goals: standing, walking, and the state machine of both."""
