"""Facts about key variables: how risky they are, what recodes did for them, and how PRAM drew them anew."""
