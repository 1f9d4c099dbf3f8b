"""The flow: settle a plan, carry it out, hold the release."""
