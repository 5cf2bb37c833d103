"""The handling of failures: dead letters, redrives, quarantine, `on_failure`."""
