"""The figures of Coenen et al. 2019, one module each, named as the figure's file."""
