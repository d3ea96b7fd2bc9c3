"""The papers' tables for print: each function takes result tables and gives what its table says, cell by cell."""
