"""Figures of Vig 2018 and 2019b."""
