"""Printed tables of kobayashi."""
