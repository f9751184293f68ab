"""Where sessions are kept: one contract, several stores."""
