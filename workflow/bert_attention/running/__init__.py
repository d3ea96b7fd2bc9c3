"""What the workflow needs around the analyses: configuration, logs, digests of code, what a machine lacks."""
