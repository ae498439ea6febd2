"""Sign-up, sessions, limits, guests and account deletion."""
