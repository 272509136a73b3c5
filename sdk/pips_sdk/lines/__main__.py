"""`python -m pips_sdk.lines COMMAND ...`: play with a program that speaks lines."""

import sys

from pips_sdk.lines.bridge import main

if __name__ == "__main__":
    main(sys.argv[1:])
