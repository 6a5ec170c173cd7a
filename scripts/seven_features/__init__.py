"""What seven features can and cannot do: proofs in whole numbers, and how they are found."""
