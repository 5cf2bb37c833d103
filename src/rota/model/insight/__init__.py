"""What people read about a namespace: figures, forecasts, and what a search finds."""
