"""Coenen, Reif, Yuan, Kim, Pearce, Viégas and Wattenberg 2019, "Visualizing and Measuring the Geometry of BERT"."""
