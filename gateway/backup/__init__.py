"""One archive of the state directory, taken while the daemon runs, and a state directory from one."""
