"""What solvers hand back: raw histories come in, labelled arrays, energies, reactions and monitors go out."""
