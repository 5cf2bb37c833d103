"""The addresses that foreign jobs ping, and the operations on monitors."""
