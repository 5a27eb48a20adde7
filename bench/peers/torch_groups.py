"""The cases of `penstock bench groups` by torch: index_add_ into a dense table, which knows the
number of keys in advance, and torch.sum.

Takes the number of rows, the repeats and optionally `keys`, for all key counts of that sweep. Prints
`case;name;seconds`.
"""

import math
import sys

import torch

CASES = [
    ("1 key", 1, False),
    ("2 keys", 2, False),
    ("50 keys", 50, False),
    ("1000 keys", 1000, False),
    ("10000 keys", 10000, False),
    ("1000000 keys", 1000000, False),
    ("10000000 keys", 10000000, False),
    ("1000 zipf keys", 1000, True),
    ("1000000 zipf keys", 1000000, True),
]
SWEEP = [
    ("1 key" if keys == 1 else f"{keys} keys", keys, False)
    for keys in (digit * 10**power for power in range(8) for digit in (1, 2, 5))
    if keys <= 10**7
]


def seconds_of(work, repeats):
    times = []
    for run in range(repeats + 2):
        begun, done = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begun.record()
        work()
        done.record()
        done.synchronize()
        if run >= 2:
            times.append(begun.elapsed_time(done) / 1e3)
    return sorted(times)[len(times) // 2]


def main():
    rows, repeats = int(sys.argv[1]), int(sys.argv[2])
    values = torch.randint(0, 100, (rows,), device="cuda").to(torch.float32)
    print(
        f"sum;torch.sum float64;{seconds_of(lambda: torch.sum(values, dtype=torch.float64), repeats):.9f}"
    )
    for name, keys, is_zipf in SWEEP if sys.argv[3:] == ["keys"] else CASES:
        if is_zipf:
            key = (torch.exp(torch.rand(rows, device="cuda") * math.log(keys + 1)) - 1).to(
                torch.int32
            )
        else:
            key = torch.randint(0, keys, (rows,), device="cuda", dtype=torch.int32)
        table = torch.zeros(keys + 1, device="cuda")
        print(
            f"{name};torch index_add_ float32;{seconds_of(lambda: table.index_add_(0, key, values), repeats):.9f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
