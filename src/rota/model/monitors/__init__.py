"""Check-in monitors: foreign cron jobs that tell Rota of themselves by a ping."""
