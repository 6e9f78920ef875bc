"""Processes that are limited, watched and killed: runs of benchmarks and jobs of the service."""
