"""Operations on events: send one."""
