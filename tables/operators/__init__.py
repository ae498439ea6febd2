"""What operators do with the house, and the pages on which they do it."""
