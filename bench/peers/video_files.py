"""Scores two y4m files by Penstock and by libvmaf in an ffmpeg, feature by feature.

    python3 bench/peers/video_files.py [--runs N] [--threads N] [--feature NAME]...
        [--device ID] [--penstock PATH] [--ffmpeg PATH] REFERENCE.y4m DISTORTED.y4m

--ffmpeg is one with the filter libvmaf (pip install imageio-ffmpeg; else the one in PATH). libvmaf
computes a model's features with every call; here it is a model of one feature, PSNR, written for the
call. So its row `psnr` is the cost of reading, PSNR and the filter's own work, and what a feature
costs is the difference from that row. Penstock's rows have the whole process, too. Both take turns,
so that other load on the machine affects both; the first turn does not count. Prints a line for each
feature: medians of wall and CPU times of a frame, and the worst difference of the scores. libvmaf
before 3.2 computes motion in another way. On a shared machine, CPU times are what compares.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
FEATURES = [
    "psnr",
    "ciede",
    "float_ms_ssim",
    "float_ssim",
    "cambi",
    "vif",
    "motion",
    "float_vif",
    "float_ansnr",
    "float_motion",
    "float_psnr",
    "float_moment",
]
# A support vector machine with one vector, of PSNR: the least that libvmaf takes as a model.
MODEL = {
    "param_dict": {"C": 1.0, "nu": 0.5, "gamma": 1.0, "norm_type": "clip_0to1"},
    "model_dict": {
        "model": "svm_type nu_svr\nkernel_type rbf\ngamma 1\nnr_class 2\ntotal_sv 1\nrho 0\nSV\n"
        "0.5 1:0.5 \n",
        "model_type": "LIBSVMNUSVR",
        "norm_type": "linear_rescale",
        "slopes": [1.0, 0.02],
        "intercepts": [0.0, 0.0],
        "score_clip": [0.0, 100.0],
        "feature_names": ["psnr_y"],
        "feature_dict": {"psnr": ["psnr_y"]},
    },
}


def run(command):
    """Returns wall and CPU seconds."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        [str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"video_files: exit status {process.returncode} of {command[0]}")
    return time.perf_counter() - begun, usage.ru_utime + usage.ru_stime


def frames_of(path):
    return [frame["metrics"] for frame in json.loads(path.read_text())["frames"]]


def worst_difference(ours, theirs):
    differences = [
        abs(value - other[key])
        for one, other in zip(ours, theirs, strict=True)
        for key, value in one.items()
        if value is not None and other.get(key) is not None
    ]
    return max(differences, default=float("nan"))


def measure(feature, options, folder):
    scores = [folder / "penstock.json", folder / "libvmaf.json"]
    filter_text = f"[0:v][1:v]libvmaf=model='path={folder / 'model.json'}'"
    if feature != "psnr":
        filter_text += f":feature='name={feature}'"
    filter_text += f":n_threads={options.threads}:log_fmt=json:log_path={scores[1]}"
    commands = [
        [
            options.penstock,
            "video",
            options.reference,
            options.distorted,
            "--device",
            options.device,
        ]
        + ["--feature", feature, "--json", "-o", scores[0]],
        [options.ffmpeg, "-v", "error", "-i", options.distorted, "-i", options.reference]
        + ["-lavfi", filter_text, "-f", "null", "-"],
    ]
    times = [[], []]
    for turn in range(options.runs + 1):
        for command, seconds in zip(commands, times):
            one = run(command)
            if turn > 0:
                seconds.append(one)
    ours, theirs = frames_of(scores[0]), frames_of(scores[1])
    text = f"{feature:14}"
    for name, seconds in zip(("penstock", "libvmaf"), times):
        wall, cpu = (statistics.median(column) / len(ours) * 1e3 for column in zip(*seconds))
        text += f"  {name} wall {wall:8.2f} cpu {cpu:8.2f} ms"
    print(f"{text}  worst difference {worst_difference(ours, theirs):.1e}", flush=True)


def ffmpeg_with_libvmaf():
    try:
        import imageio_ffmpeg

        return imageio_ffmpeg.get_ffmpeg_exe()
    except ImportError:
        return shutil.which("ffmpeg")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=5, help="that count (5)")
    parser.add_argument(
        "--threads", type=int, default=len(os.sched_getaffinity(0)), help="of libvmaf (all cores)"
    )
    parser.add_argument("--feature", action="append", help="one of the features (all)")
    parser.add_argument("--device", default="host", help="where Penstock computes (host)")
    parser.add_argument("--penstock", default=ROOT / "build" / "penstock")
    parser.add_argument("--ffmpeg", default=ffmpeg_with_libvmaf())
    parser.add_argument("reference", type=pathlib.Path)
    parser.add_argument("distorted", type=pathlib.Path)
    options = parser.parse_args()
    if not options.ffmpeg:
        sys.exit("video_files: there is no ffmpeg")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "model.json").write_text(json.dumps(MODEL))
        print(options.reference.name, f"{options.threads} threads, ms a frame")
        for feature in options.feature or FEATURES:
            measure(feature, options, folder)


if __name__ == "__main__":
    main()
