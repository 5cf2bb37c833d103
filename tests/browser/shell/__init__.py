"""The frame of all pages: keys, addresses, tabs, weight."""
