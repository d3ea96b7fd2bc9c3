"""Printed tables in Markdown, LaTeX and Typst."""
