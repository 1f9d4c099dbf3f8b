"""What a column is taken to be where nobody says, and which columns have to be decided."""
