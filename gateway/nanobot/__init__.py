"""What a nanobot workspace holds, in our own words; nothing here writes anything."""
