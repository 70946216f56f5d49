"""What the commands share, and the reports of three of them."""
