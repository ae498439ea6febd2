"""Daphne and uvicorn as this site runs them."""
