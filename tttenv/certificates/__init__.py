"""How strong a player is, exactly: its certificate, its mistakes, a game that it loses."""
