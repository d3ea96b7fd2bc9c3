"""The models of an edition side by side."""
