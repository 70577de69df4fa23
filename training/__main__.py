"""Make all models of the learned profiles: ``python -m training --out FOLDER KIND:PATH …``.

The options are those of ``python -m training.train``, whose models of blocks come first.  The models of its folds judge
the pages that the page models are made of (``python -m training.pages``).  Last, ``auto`` is compared with the profiles
that it chooses from, also on the sets of ``--also``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from scrapy_justext.exceptions import JustextError
from training import pages, train


def main() -> None:
    """Train, print the tables, write the models."""
    parser = train.command_line(__doc__)
    parser.prog = "python -m training"
    arguments = parser.parse_args()
    if arguments.no_validation:
        parser.error("--no-validation makes no models of folds, of which the page models are made")
    with TemporaryDirectory() as folder:
        arguments.folds = arguments.folds or Path(folder)
        try:
            train.run(arguments)
            for profile in train.PAGE_TYPES:
                print(f"\n# page model of {profile}", flush=True)
                out = arguments.out and arguments.out / f"{profile}-pages.npz"
                pages.run(arguments.data, profile, arguments.made, folds=arguments.folds, out=out, jobs=arguments.jobs)
            print("\n# auto\n", flush=True)
            every = [*arguments.data, *arguments.also]
            pages.run(every, "auto", arguments.made, folds=arguments.folds, jobs=arguments.jobs)
        except JustextError as error:
            sys.exit(str(error))


if __name__ == "__main__":
    main()
