"""Says what is in a CSV text: columns, types, gaps, ranges and totals by group."""
