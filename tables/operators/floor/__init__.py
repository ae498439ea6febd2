"""Open tables, and operators' actions on them."""
