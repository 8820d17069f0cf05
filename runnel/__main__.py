"""`python -m runnel script.py …`: run a program that imports tensorflow."""

from runnel.compat.command_line import main

if __name__ == "__main__":
    main()
