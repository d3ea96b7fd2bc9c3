"""Printed tables of comparison."""
