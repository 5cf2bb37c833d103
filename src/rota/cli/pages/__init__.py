"""The form of answers on a terminal: the page of a thing, a tree, a plan, a timeline."""
