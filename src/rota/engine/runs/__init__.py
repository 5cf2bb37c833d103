"""A run from its submit to its end: one file for each verb, and files that find runs."""
