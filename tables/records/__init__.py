"""Records for players: rounds, statement, statistics, as pages and files."""
