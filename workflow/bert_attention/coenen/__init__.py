"""Analyses of Coenen et al. 2019, "Visualizing and Measuring the Geometry of BERT"."""
