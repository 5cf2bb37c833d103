"""Views of a namespace: figures, forecasts and search results."""
