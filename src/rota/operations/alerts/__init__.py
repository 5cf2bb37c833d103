"""Operations on alert rules, channels, incidents and messages."""
