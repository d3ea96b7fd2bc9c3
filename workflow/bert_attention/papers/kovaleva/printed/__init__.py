"""Printed tables of kovaleva."""
