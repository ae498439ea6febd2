"""Tables at which people play now, and what operators do to them."""
