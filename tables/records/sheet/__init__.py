"""The settlement sheet of a table with chips of its own."""
