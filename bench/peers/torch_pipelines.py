"""The cases of `penstock bench pipelines` by PyTorch, eager and compiled. Takes the row count and the
repeats."""

import sys

import torch

rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 24
repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 20
device = "cuda" if torch.cuda.is_available() else "cpu"


def median_seconds(work):
    times = []
    for turn in range(repeats + 3):
        begun, done = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begun.record()
        work()
        done.record()
        done.synchronize()
        if turn >= 3:
            times.append(begun.elapsed_time(done) / 1e3)
    return sorted(times)[len(times) // 2]


def select(x, above):
    y = x * 2
    return y[y > above] + 100


def filter_sum(x, above):
    y = x * 2
    return torch.where(y > above, y, 0.0).sum(dtype=torch.float64)


if device != "cuda":
    sys.exit("torch sees no GPU: nothing to compare with here")
x = torch.rand(rows, device=device) * 1000
for rate, above in (("50%", 1000.0), ("10%", 1800.0), ("1%", 1980.0), ("90%", 200.0)):
    print(
        f"map-filter-map {rate};torch eager;{median_seconds(lambda: select(x, above)):.9f}",
        flush=True,
    )
print(f"filter-sum 50%;torch eager;{median_seconds(lambda: filter_sum(x, 1000.0)):.9f}", flush=True)
compiled = torch.compile(filter_sum)
print(f"filter-sum 50%;torch.compile;{median_seconds(lambda: compiled(x, 1000.0)):.9f}", flush=True)
