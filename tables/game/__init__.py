"""What happens at a table, in a transaction: commands, deadlines, rounds, seats, shoes."""
