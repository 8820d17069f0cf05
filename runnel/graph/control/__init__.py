"""Operations that hold graphs: branches, loops, and their gradients."""
