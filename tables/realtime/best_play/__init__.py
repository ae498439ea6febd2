"""The best play of a decision, computed and played as its player has decided ahead."""
