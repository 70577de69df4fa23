"""What the report reads: the scores of a run, and the texts behind them."""
