"""Balance: centre of pressure, ground forces, support polygons, pendulum and sway."""
