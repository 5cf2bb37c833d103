"""What follows a failure: dead letters, redrives, quarantine, `on_failure`."""
