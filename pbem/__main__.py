"""`python -m pbem` is the command line `pbem`."""

from pbem.cli.main import main

main()
