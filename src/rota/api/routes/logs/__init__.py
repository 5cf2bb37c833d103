"""What handlers printed and logged."""
