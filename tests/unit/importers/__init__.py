"""Importers of crontabs, systemd timers, CronJobs and Celery."""
