"""What comes of the blocks: how alike and how linkable the whole file is, and how it is written."""
