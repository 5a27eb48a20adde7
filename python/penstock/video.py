"""Scores of a distorted video against its reference, by libvmaf's features."""

import math
import os

import pyarrow

from penstock.core import check_process, core
from penstock.errors import PenstockError


class VideoScores:
    """Scores by key ("psnr_y"), a list with a value for each frame; None where it has none."""

    def __init__(self, by_key, aggregates):
        self.by_key = by_key
        self.aggregates = aggregates  # scores of the whole video, such as "apsnr_y"

    def keys(self):
        return list(self.by_key)

    def __getitem__(self, key):
        return self.by_key[key]

    def pooled(self, key):
        """Returns the least, greatest, arithmetic and harmonic mean over frames, as libvmaf does."""
        values = [value for value in self.by_key[key] if value is not None]
        if not values:
            return {"min": None, "max": None, "mean": None, "harmonic_mean": None}
        reciprocals = math.fsum(1 / (value + 1) for value in values)
        return {
            "min": min(values),
            "max": max(values),
            "mean": sum(values) / len(values),
            "harmonic_mean": len(values) / reciprocals - 1,
        }

    def arrow(self):
        """Returns a pyarrow Table: the frame's number, and a column of each key."""
        frames = max((len(values) for values in self.by_key.values()), default=0)
        columns = {"frame": pyarrow.array(range(frames), pyarrow.int64())}
        for key, values in self.by_key.items():
            columns[key] = pyarrow.array(values, pyarrow.float64())
        return pyarrow.table(columns)

    def df(self):
        """Returns a frame of pandas."""
        return self.arrow().to_pandas()

    def __arrow_c_stream__(self, requested_schema=None):
        return self.arrow().__arrow_c_stream__(requested_schema)


def features():
    """Returns {name: what it measures}."""
    return dict(core.video_features())


def _planes(frame):
    """Returns the planes of a frame as NumPy's arrays of two dimensions."""
    import numpy

    planes = [frame] if hasattr(frame, "ndim") or hasattr(frame, "__dlpack__") else list(frame)
    arrays = [
        plane if isinstance(plane, numpy.ndarray) else numpy.from_dlpack(plane) for plane in planes
    ]
    for array in arrays:
        if array.ndim != 2:
            raise PenstockError(f"a plane has 2 dimensions, rows and columns, not {array.ndim}")
    return arrays


def _chroma_of(planes):
    if len(planes) == 1:
        return "400"
    (rows, columns), (chroma_rows, chroma_columns) = planes[0].shape, planes[1].shape
    halves = (chroma_rows < rows, chroma_columns < columns)
    return {(True, True): "420", (False, True): "422", (False, False): "444"}.get(halves, "420")


def _score_frames(reference, distorted, features, device, bits, subsample):
    scorer = None
    pairs = zip(reference, distorted)
    for one, other in pairs:
        one, other = _planes(one), _planes(other)
        if scorer is None:
            rows, columns = one[0].shape
            bits = bits or 8 * one[0].itemsize
            scorer = core.Scorer(
                columns, rows, bits, _chroma_of(one), list(features), device, subsample
            )
        scorer.add(one, other)
    if scorer is None:
        raise PenstockError("the videos have no frame to score")
    return scorer.finish()


def score(
    reference, distorted, features, *, device="", raw=None, bits=None, subsample=1, frame_limit=0
):
    """Scores a video and returns VideoScores.

    `reference`, `distorted`: paths (y4m, raw planes, what FFmpeg's libraries read), or iterables of
    frames. A frame is an array of luma (rows, columns), or a list of its planes Y, Cb and Cr:
    NumPy's arrays, or host tensors, of uint8 or uint16. `features`: libvmaf's names with options,
    such as "cambi=full_ref=true". `device`: "host" for the host's loops. `raw`: (width, height,
    bits, chroma) of files without a header. `bits`: of samples in arrays of uint16. `subsample`:
    every n-th frame. `frame_limit`: at most so many frames of files; 0 is all.
    """
    check_process()
    features = [features] if isinstance(features, str) else list(features)
    if isinstance(reference, (str, os.PathLike)):
        by_key, aggregates = core.score_files(
            os.fspath(reference),
            os.fspath(distorted),
            features,
            device,
            raw,
            subsample,
            frame_limit,
        )
    else:
        by_key, aggregates = _score_frames(reference, distorted, features, device, bits, subsample)
    return VideoScores(by_key, aggregates)
