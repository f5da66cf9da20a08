"""Derivatives of library functions that are called as a whole: one table (table.py), filled by subject."""
