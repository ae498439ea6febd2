"""daphne and uvicorn with the limits of this site."""
