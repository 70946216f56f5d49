"""What several algorithms share, and no algorithm: the native library, arguments and files.

Modules are imported from it by name, so importing the package imports none of them.
"""
