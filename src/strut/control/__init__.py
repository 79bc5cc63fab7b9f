"""Controllers: state of a robot in, torques out."""
