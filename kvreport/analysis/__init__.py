"""What the data show: statistics, the noise floor, costs, latencies, comparison."""
