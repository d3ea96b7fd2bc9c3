"""Figures of Kovaleva et al. 2019."""
