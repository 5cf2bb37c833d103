"""Operations on graphs and on their runs, node by node."""
