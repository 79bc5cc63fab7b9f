"""The multi-phase optimal-control engine and its uses: reconstruct and synthesise."""
