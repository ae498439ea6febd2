"""Stylesheets and scripts as browsers get them."""
