"""What the papers published, their tables as printed, and the guide to the results."""
