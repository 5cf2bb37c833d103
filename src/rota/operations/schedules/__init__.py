"""Operations on schedules, calendars and backfills."""
