"""Changes of a table, in a transaction: commands, deadlines, rounds, seats, shoes."""
