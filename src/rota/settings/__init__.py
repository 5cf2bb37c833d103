"""Settings of a process from flags, ROTA_* variables and rota.toml.

A new setting is one row in table.py, worker_settings.py or server_settings.py, and the option that
takes it. `rota --help` loads the table, so the table is light; the reader of rota.toml loads later.
"""
