"""Scores of a distorted video against its reference, by libvmaf's features."""

import importlib
import importlib.util
import itertools
import math
import os
import warnings

import pyarrow

from penstock import arguments
from penstock.core import check_process, core
from penstock.errors import PenstockError

_RAW_NUMBERS = "width", "height", "bits"
_DLPACK_CPU, _DLPACK_CUDA, _DLPACK_CUDA_HOST = 1, 2, 3  # DLPack's device types


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


def _of_dlpack(plane):
    """Returns a plane that has __cuda_array_interface__ alone as a tensor or array with DLPack."""
    if hasattr(plane, "__dlpack__") or not hasattr(plane, "__cuda_array_interface__"):
        return plane
    for name, convert in (("cupy", "asarray"), ("torch", "as_tensor")):
        if importlib.util.find_spec(name) is not None:
            return getattr(importlib.import_module(name), convert)(plane)
    raise PenstockError(
        "a frame has __cuda_array_interface__ alone, which needs cupy or torch", "unsupported"
    )


def _place_of(plane):
    """Returns "" for the host, or "cuda:0"."""
    where = getattr(plane, "__dlpack_device__", None)
    kind, number = (_DLPACK_CPU, 0) if where is None else where()
    if kind in (_DLPACK_CPU, _DLPACK_CUDA_HOST):
        return ""
    if kind != _DLPACK_CUDA:
        raise PenstockError(
            f"frames in memory of DLPack's device type {int(kind)} are not scored; the host's and "
            "CUDA's are",
            "unsupported",
        )
    return f"cuda:{int(number)}"


def _checked(plane):
    """Checks the plane's form, which arrays of all libraries tell alike."""
    if not hasattr(plane, "shape") or not hasattr(plane, "dtype"):
        raise TypeError(f"a plane is an array, not {type(plane).__name__}")
    dimensions = len(plane.shape)
    if dimensions != 2:
        raise PenstockError(f"a plane has 2 dimensions, rows and columns, not {dimensions}")
    kind = str(plane.dtype).rsplit(".", 1)[-1]
    if kind not in ("uint8", "uint16"):
        raise PenstockError(f"samples are uint8 or uint16, not {kind}")
    return plane


def _host_plane(plane):
    import numpy

    array = plane if isinstance(plane, numpy.ndarray) else numpy.from_dlpack(plane)
    has_rows = array.strides[0] >= 0 and array.strides[1] == array.itemsize
    return array if has_rows else numpy.ascontiguousarray(array)


def _planes(frame):
    """Returns (a frame's planes, which have two dimensions and whole rows; their place)."""
    is_one = any(
        hasattr(frame, name) for name in ("ndim", "__dlpack__", "__cuda_array_interface__")
    )
    if not is_one and not isinstance(frame, (list, tuple)):
        raise TypeError(f"a frame is an array, or a list of planes, not {type(frame).__name__}")
    planes = [_checked(_of_dlpack(plane)) for plane in ([frame] if is_one else frame)]
    places = sorted({_place_of(plane) for plane in planes})
    if len(places) > 1:
        raise _mixed("the planes of a frame", places)
    place = places[0] if places else ""
    return (planes if place else [_host_plane(plane) for plane in planes]), place


def _mixed(what, places):
    named = " and ".join(place or "the host" for place in places)
    return PenstockError(f"{what} are on {named}; move them to one device")


def _chroma_of(planes):
    if len(planes) == 1:
        return "400"
    (rows, columns), (chroma_rows, chroma_columns) = planes[0].shape, planes[1].shape
    halves = (chroma_rows < rows, chroma_columns < columns)
    return {(True, True): "420", (False, True): "422", (False, False): "444"}.get(halves, "420")


def _scorer(planes, place, features, device, bits, subsample):
    """Returns the scorer of frames like this one, which are at a place."""
    if place and device == "host":
        raise PenstockError(
            f'the frames are on {place}, and device="host" reads the host\'s memory'
        )
    (rows, columns), chroma = planes[0].shape, _chroma_of(planes)
    bits = bits or (8 if str(planes[0].dtype).endswith("uint8") else 16)
    options = list(features), device or place, subsample, bool(place)
    return core.Scorer(int(columns), int(rows), bits, chroma, *options)


def _score_frames(reference, distorted, features, device, bits, subsample):
    scorer, ended_early = None, ""
    for one, other in itertools.zip_longest(reference, distorted):
        if one is None or other is None:
            ended_early = "the " + ("reference" if one is None else "distorted video")
            ended_early += " ended before the other video"
            break
        (one, place), (other, other_place) = _planes(one), _planes(other)
        if place != other_place:
            raise _mixed("the reference and the distorted frame", (place, other_place))
        if scorer is None:
            of_first = place
            scorer = _scorer(one, place, features, device, bits, subsample)
        elif place != of_first:
            raise _mixed("frames of a video", (of_first, place))
        scorer.add(one, other)
    if scorer is None:
        raise PenstockError("the videos have no frame to score")
    return scorer.finish(), ended_early


def _is_path(video):
    return isinstance(video, (str, os.PathLike))


def _raw_format(raw):
    if not isinstance(raw, (tuple, list)) or len(raw) != 4:
        raise TypeError(f"raw= is (width, height, bits, chroma), not {raw!r:.40}")
    numbers = (arguments.count(f"raw's {name}", n) for name, n in zip(_RAW_NUMBERS, raw))
    return (*numbers, arguments.text("raw's chroma", raw[3]))


def score(
    reference, distorted, features, *, device="", raw=None, bits=None, subsample=1, frame_limit=0
):
    """Scores a video and returns VideoScores.

    `reference`, `distorted`: paths (y4m, raw planes, what FFmpeg's libraries read), or iterables of
    frames. A frame is an array of luma (rows, columns), or a list of its planes Y, Cb and Cr:
    NumPy's arrays, or tensors of the host or of one GPU, of uint8 or uint16. `features`: libvmaf's names with options,
    such as "cambi=full_ref=true". `device`: "host" for the host's loops. `raw`: (width, height,
    bits, chroma) of files without a header. `bits`: of samples in arrays of uint16. `subsample`:
    every n-th frame; others are None. `frame_limit`: at most so many frames; 0 is all. If one video ends first, the
    frames before are scored, with a RuntimeWarning.
    """
    check_process()
    features = arguments.texts("features", features)
    arguments.text("device", device)
    subsample = arguments.count("subsample", subsample, 1)
    frame_limit = arguments.count("frame_limit", frame_limit)
    bits = arguments.count_or_none("bits", bits, 16)
    raw = None if raw is None else _raw_format(raw)
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
        if raw is not None:
            raise PenstockError("raw= is the form of files; frames have their own")
        for name, frames in (("reference", reference), ("distorted", distorted)):
            if not hasattr(frames, "__iter__"):
                kind = type(frames).__name__
                raise TypeError(f"{name}= is a path, or an iterable of frames, not {kind}")
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
