"""Printed tables of coenen."""
