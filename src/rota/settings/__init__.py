"""Settings: what flags, ROTA_* variables and rota.toml say to a process.

A new setting is one row in table.py, worker_settings.py or server_settings.py, and the option that
takes it. The table is light, as `rota --help` loads it; what reads rota.toml comes later.
"""
