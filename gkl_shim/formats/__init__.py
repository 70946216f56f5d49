"""Readers and writers of file formats, one module for each format."""
