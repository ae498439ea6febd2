"""Every movement of money, and what follows from the movements."""
