"""MDAV in its forms: for complete continuous records, and for mixed or incomplete ones."""
