"""Who may act, and the audit log of what they did."""
