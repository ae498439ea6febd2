"""What is on record for players: rounds, money and figures, as pages and files tell them."""
