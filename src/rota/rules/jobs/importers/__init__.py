"""Importers turn files of other schedulers into job files, and report the differences."""
