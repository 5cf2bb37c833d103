"""The same no-op work side by side through Rota and four peers.

Each peer runs in a venv of its own; nothing here is imported by Rota.
"""
