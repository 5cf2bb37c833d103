"""Small readers and writers of text: durations, sizes, names, times, templates, JSON."""
