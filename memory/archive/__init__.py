"""Everything ever said, findable: the record of consolidations and the search index."""
