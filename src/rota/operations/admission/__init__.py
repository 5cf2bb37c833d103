"""Operations on what holds runs back: queues and maintenance windows."""
