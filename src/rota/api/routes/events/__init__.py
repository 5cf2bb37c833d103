"""The live stream of changes, and events that programs send."""
