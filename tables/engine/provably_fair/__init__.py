"""The verifiable shuffle; ``docs/fairness.md`` is its specification."""
