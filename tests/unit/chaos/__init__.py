"""The chaos run itself."""
