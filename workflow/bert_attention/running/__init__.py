"""The workflow around the analyses: configuration, logs, digests of code, and checks of the machine."""
