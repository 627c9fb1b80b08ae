"""Describes a CSV text: columns, types, missing values, ranges and totals by group."""
