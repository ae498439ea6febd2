"""Results of rounds: scores, statistics, revenue, and the reversal of a round."""
