"""The bugs, by what they break; a new one is an entry in the table it belongs to."""
