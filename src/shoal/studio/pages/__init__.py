"""The pages of the studio, one for each step of the flow: what is shown, and which change of the decisions it makes."""
