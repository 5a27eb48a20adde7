"""Scores of a distorted video against its reference, by libvmaf's features."""

import itertools
import math
import os
import warnings

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
    """Returns the planes of a frame as NumPy's arrays of two dimensions, whole rows in each."""
    import numpy

    planes = [frame] if hasattr(frame, "ndim") or hasattr(frame, "__dlpack__") else list(frame)
    arrays = []
    for plane in planes:
        array = plane if isinstance(plane, numpy.ndarray) else numpy.from_dlpack(plane)
        if array.ndim != 2:
            raise PenstockError(f"a plane has 2 dimensions, rows and columns, not {array.ndim}")
        if array.dtype not in (numpy.uint8, numpy.uint16):
            raise PenstockError(f"samples are uint8 or uint16, not {array.dtype}")
        has_rows = array.strides[0] >= 0 and array.strides[1] == array.itemsize
        arrays.append(array if has_rows else numpy.ascontiguousarray(array))
    return arrays


def _chroma_of(planes):
    if len(planes) == 1:
        return "400"
    (rows, columns), (chroma_rows, chroma_columns) = planes[0].shape, planes[1].shape
    halves = (chroma_rows < rows, chroma_columns < columns)
    return {(True, True): "420", (False, True): "422", (False, False): "444"}.get(halves, "420")


def _score_frames(reference, distorted, features, device, bits, subsample):
    scorer, ended_early = None, ""
    for one, other in itertools.zip_longest(reference, distorted):
        if one is None or other is None:
            ended_early = "the " + ("reference" if one is None else "distorted video")
            ended_early += " ended before the other video"
            break
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
    return scorer.finish(), ended_early


def _is_path(video):
    return isinstance(video, (str, os.PathLike))


def score(
    reference, distorted, features, *, device="", raw=None, bits=None, subsample=1, frame_limit=0
):
    """Scores a video and returns VideoScores.

    `reference`, `distorted`: paths (y4m, raw planes, what FFmpeg's libraries read), or iterables of
    frames. A frame is an array of luma (rows, columns), or a list of its planes Y, Cb and Cr:
    NumPy's arrays, or host tensors, of uint8 or uint16. `features`: libvmaf's names with options,
    such as "cambi=full_ref=true". `device`: "host" for the host's loops. `raw`: (width, height,
    bits, chroma) of files without a header. `bits`: of samples in arrays of uint16. `subsample`:
    every n-th frame; others are None. `frame_limit`: at most so many frames; 0 is all. If one video ends first, the
    frames before are scored, with a RuntimeWarning.
    """
    check_process()
    features = [features] if isinstance(features, str) else list(features)
    if _is_path(reference) != _is_path(distorted):
        raise PenstockError("both videos are paths, or both are iterables of frames")
    if _is_path(reference):
        scores, ended_early = core.score_files(
            os.fspath(reference),
            os.fspath(distorted),
            features,
            device,
            raw,
            subsample,
            frame_limit,
        )
    else:
        limit = frame_limit or None
        videos = (itertools.islice(frames, limit) for frames in (reference, distorted))
        scores, ended_early = _score_frames(*videos, features, device, bits, subsample)
    if ended_early:
        warnings.warn(ended_early, RuntimeWarning, stacklevel=2)
    by_key, aggregates = scores
    # Features that look at every frame score it, too; libvmaf's files leave it out.
    kept = {
        key: [value if at % subsample == 0 else None for at, value in enumerate(values)]
        for key, values in by_key.items()
    }
    return VideoScores(kept, aggregates)
