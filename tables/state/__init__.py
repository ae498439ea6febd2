"""One table: loaded, locked, cached, changed in memory, and as everybody may see it."""
