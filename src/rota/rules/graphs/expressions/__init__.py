"""Safe expressions in CEL: checked, bounded, and their values as JSON."""
