"""Figures of Coenen et al. 2019."""
