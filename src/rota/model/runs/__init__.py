"""What is told of runs beside their views."""
