"""What a match teaches: what was luck, and what each decision cost."""
