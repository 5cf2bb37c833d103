"""The product from outside: commands against a running system."""
