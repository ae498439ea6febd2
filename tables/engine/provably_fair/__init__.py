"""The shuffle that players can check: ``docs/fairness.md`` is its specification."""
