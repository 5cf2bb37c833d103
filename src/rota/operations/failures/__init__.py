"""Operations on breakers, dead letters and effects in doubt."""
