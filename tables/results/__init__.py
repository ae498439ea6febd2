"""What rounds come to: results, scores, revenue, and the reversal of a round."""
