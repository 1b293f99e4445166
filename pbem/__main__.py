"""`python -m pbem` is the command line `pbem`."""

from pbem.cli import main

main()
