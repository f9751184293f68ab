"""What was accepted and what is owed: inbox, outbox, jobs, schedule, roster."""
