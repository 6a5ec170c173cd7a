"""What seven features can and cannot do: proofs in integers, and the search for them."""
