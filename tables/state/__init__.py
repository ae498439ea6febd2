"""One table: loaded, locked, cached, changed in memory, and its public view."""
