from __future__ import annotations

import sys

from zeroclaw_cli.entry import main

if __name__ == "__main__":
    sys.exit(main())
