"""All transfers of money, and sums of them."""
