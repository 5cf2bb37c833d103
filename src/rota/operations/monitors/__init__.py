"""Operations on check-in monitors and their pings."""
