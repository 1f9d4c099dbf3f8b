"""Information loss: how far results from the masked file differ from those of the original."""
