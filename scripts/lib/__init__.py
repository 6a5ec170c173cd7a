"""What several scripts share and no installed command needs."""
