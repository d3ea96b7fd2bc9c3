"""Printed tables of clark."""
