"""A baseline of `penstock bench video`: libvmaf in an ffmpeg scores the bench's own files.

    penstock bench video --only "from files" --write-outputs FOLDER \\
        --peers "python3 bench/peers/libvmaf.py FOLDER"

Needs an ffmpeg with the filter libvmaf (pip install imageio-ffmpeg; else the one in PATH). Prints
`case;name;seconds` of a frame, by the wall clock of the whole process. libvmaf computes a model with
every call, here one of PSNR (video_files.py); VIDEO_FEATURES names other features than these, by
commas, and OMP_NUM_THREADS other threads than one for each core.
"""

import json
import os
import pathlib
import sys
import tempfile

from video_files import MODEL, ffmpeg_with_libvmaf, run

FEATURES = os.environ.get("VIDEO_FEATURES", "psnr,float_ssim,cambi").split(",")
THREADS = os.environ.get("OMP_NUM_THREADS", str(len(os.sched_getaffinity(0))))


def seconds_a_frame(ffmpeg, videos, feature, folder):
    scores = folder / "scores.json"
    extra = "" if feature == "psnr" else f":feature='name={feature}'"
    text = f"[0:v][1:v]libvmaf=model='path={folder / 'model.json'}'{extra}"
    text += f":n_threads={THREADS}:log_fmt=json:log_path={scores}"
    inputs = ["-i", videos / "distorted.y4m", "-i", videos / "reference.y4m"]
    wall, _ = run([ffmpeg, "-v", "error", *inputs, "-lavfi", text, "-f", "null", "-"])
    return wall / len(json.loads(scores.read_text())["frames"])


def main():
    ffmpeg = ffmpeg_with_libvmaf()
    if not ffmpeg:
        sys.exit("libvmaf: there is no ffmpeg")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "model.json").write_text(json.dumps(MODEL))
        for videos in sorted(pathlib.Path(sys.argv[1]).iterdir()):
            for feature in FEATURES:
                seconds = seconds_a_frame(ffmpeg, videos, feature, folder)
                print(f"{videos.name} {feature}, from files;libvmaf, {THREADS} threads;{seconds}")


if __name__ == "__main__":
    main()
