"""Letters to players: addresses, limits, and the queue that sends them."""
