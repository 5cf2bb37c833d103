"""Operations that only look: figures, forecasts, search."""
