"""Operations on queues and maintenance windows, which hold runs back."""
