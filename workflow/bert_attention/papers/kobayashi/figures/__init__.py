"""Figures of Kobayashi et al. 2020, and of the mixing ratio of Kobayashi et al. 2021."""
