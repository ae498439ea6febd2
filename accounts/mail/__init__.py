"""E-mails to players: addresses, limits, and the sending queue."""
