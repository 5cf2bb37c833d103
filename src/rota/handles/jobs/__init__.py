"""Jobs on record, job files and releases in the hands of a program."""
