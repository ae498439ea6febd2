"""The chips of a table: the dealer's rack, and the stacks of the players."""
