"""Search: labels of runs, the runs that have them, and saved views of the list of runs."""
