"""Players: search, freezing, moderation, wallets."""
