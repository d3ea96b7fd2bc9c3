"""The analyses of Vig 2019, "A Multiscale Visualization of Attention in the Transformer Model", and the articles before it."""
