"""Lists for operators: filters by day, table and player, and files."""
