"""Operations on log lines."""
