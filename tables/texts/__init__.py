"""Rules, outcomes and refusals in the site's language."""
