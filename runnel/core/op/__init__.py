"""How an op is declared, called and run."""
