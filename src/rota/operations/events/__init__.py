"""Operations on events: tell of one."""
