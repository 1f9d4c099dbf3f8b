"""Torra, Cano and Navarro-Arribas (2009): Census masked with and without regard to its edit rules."""
