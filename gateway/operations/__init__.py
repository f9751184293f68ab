"""What an operator does with what is kept: functions of ports and JSON-able arguments, for the command line and the daemon."""
