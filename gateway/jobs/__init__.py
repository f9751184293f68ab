"""Work that outlives a turn."""
