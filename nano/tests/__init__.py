"""`python3 -m unittest discover -s nano/tests -t .` from the root of the repository. Standard library only."""
