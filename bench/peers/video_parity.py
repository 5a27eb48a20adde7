"""Compares the scores of `penstock video` with those that libvmaf 3.2.0 wrote for the same clips.

    python3 bench/peers/video_parity.py --clips FOLDER --golden FOLDER [--generator gen_clips.cpp]
        [--penstock PATH] [--device ID]... [--feature NAME]...

The folder of --golden has libvmaf's JSON of each clip that CLIPS below lists; the folder of --clips
has the real clips. The generator, a C++ file, makes synthetic clips if it is given. A clip without
its files is named and skipped. On devices other than `host`, kernels compute (--use kernels), so
that nothing falls back. Prints a Markdown table for each device: the worst difference of any score
of a feature, in parentheses if it is beyond the feature's gate. Files of scores have six decimals,
so "equal" means that all of these agree. Scores that are 0 on both sides show nothing: they do not
count, and a feature that has no other on any clip fails. Exits with 1 if anything failed.
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Name: columns, rows, bits, chroma, frames, and the files of a real clip or the generator's words.
CLIPS = {
    "src01_10bit": (576, 324, 10, 420, 3, "src01_hrc00_576x324.yuv420p10le.yuv",
                    "src01_hrc01_576x324.yuv420p10le.yuv"),
    "sparks": (480, 270, 10, 420, 5, "sparks_ref_480x270.yuv42010le.yuv",
               "sparks_dis_480x270.yuv42010le.yuv"),
    "dark_scene": (1920, 1080, 8, 420, 1, "dark_scene_1920x1080_420p_ref.yuv",
                   "dark_scene_1920x1080_420p_dis.yuv"),
    "hall": (352, 288, 8, 420, 1, "hall_cif_frm_0_frm_0.yuv", "hall_plr10_3693_frm_0_frm_0.yuv"),
    "s576": (576, 324, 8, 420, 10),
    "s576_10": (576, 324, 10, 420, 3),
    "s576_444": (576, 324, 8, 444, 3),
    "s720": (1280, 720, 8, 420, 3),
    "b576": (576, 324, 8, 420, 4, "band"),
}  # fmt: skip
# A file's last decimal is rounded.
ROUNDING = 0.51e-6
# Feature: its options, and how far from libvmaf its scores may be, relative above 1 for the sums of
# VIF and for moments. 0: all decimals are equal.
FEATURES = {
    "psnr": ("enable_mse=true", 0),
    "cambi": ("full_ref=true", 0),
    "motion": ("debug=true", 0),
    "vif": ("debug=true", 0),
    "float_ssim": ("enable_lcs=true", 5e-5),
    "float_ms_ssim": ("enable_lcs=true", 5e-5),
    "ciede": ("", 5e-5),
    "float_psnr": ("", 5e-5),
    "float_moment": ("", 5e-5),
    "float_motion": ("", 1e-4),
    "float_ansnr": ("", 1e-4),
    "float_vif": ("debug=true", 2e-4),
}
RELATIVE = ("_num", "_den", "float_moment", "mse_")


def pairs_of_files(options, folder):
    """Returns each clip's two files; makes synthetic clips in `folder`."""
    generator = None
    if options.generator:
        generator = folder / "generator"
        subprocess.run(["c++", "-O2", "-std=c++17", "-o", generator, options.generator], check=True)
    pairs = {}
    for name, (width, height, bits, chroma, frames, *files) in CLIPS.items():
        if not (options.golden / f"{name}.json").exists():
            continue
        if len(files) == 2:
            pair = [options.clips / file for file in files]
        elif generator:
            words = [width, height, frames, bits, chroma, folder / name, *files]
            subprocess.run([generator, *map(str, words)], check=True)
            pair = [folder / f"{name}_{which}.yuv" for which in ("ref", "dis")]
        else:
            pair = []
        if pair and all(path.exists() for path in pair):
            pairs[name] = pair
        else:
            print(f"{name}: skipped, its files are absent", file=sys.stderr)
    return pairs


def scores_of(options, device, feature, clip, pair, folder):
    """Returns the metrics of each frame, or the program's message."""
    width, height, bits, chroma = CLIPS[clip][:4]
    words = FEATURES[feature][0]
    output = folder / "scores.json"
    output.unlink(missing_ok=True)
    command = [options.penstock, "video", *pair, "-w", width, "--height", height, "-p", chroma]
    command += ["-b", bits, "--feature", feature + ("=" + words if words else "")]
    command += ["--device", device, "--json", "-o", output]
    if device != "host":
        command += ["--use", "kernels"]
    command = [str(word) for word in command]
    ran = subprocess.run(command, check=False, capture_output=True, text=True)
    if ran.returncode != 0:
        return None, ran.stderr.strip() or f"exit status {ran.returncode}"
    return [frame["metrics"] for frame in json.loads(output.read_text())["frames"]], ""


class Compared:
    """The worst difference of a feature on a clip, relative to its gate."""

    def __init__(self):
        self.worst = self.worst_key = None
        self.is_within, self.count, self.problem = True, 0, ""

    def add(self, key, value, golden, gate):
        if value == golden == 0:
            return
        self.count += 1
        if value is None or golden is None:  # libvmaf's infinite and undefined scores
            difference = 0 if value is golden else math.inf
        else:
            difference = abs(value - golden)
        if golden and any(word in key for word in RELATIVE):
            difference /= max(1, abs(golden))
        bound = gate + ROUNDING
        self.is_within &= difference <= bound
        share = difference / bound
        if self.worst is None or share > self.worst[1]:
            self.worst, self.worst_key = (difference, share), key

    def text(self):
        if self.problem:
            return "(fails)"
        if self.count == 0:
            return "-"
        difference = self.worst[0]
        text = "equal" if difference <= ROUNDING else f"{difference:.1e}"
        return text if self.is_within else f"({text} {self.worst_key})"


def compared(options, device, feature, clip, pair, folder):
    result = Compared()
    frames, result.problem = scores_of(options, device, feature, clip, pair, folder)
    if frames is None:
        result.is_within = False
        return result
    golden = json.loads((options.golden / f"{clip}.json").read_text())["frames"]
    if len(frames) != len(golden):
        result.problem = f"{len(frames)} frames, not {len(golden)}"
        result.is_within = False
        return result
    for metrics, frame in zip(frames, golden, strict=True):
        for key, value in metrics.items():
            if key in frame["metrics"]:
                result.add(key, value, frame["metrics"][key], FEATURES[feature][1])
    return result


def table_of(options, device, pairs, folder):
    """Prints a device's table. Returns whether all is within its gate."""
    print(f"\n### {device}\n\n| feature | gate | " + " | ".join(pairs) + " |")
    print("|---|---|" + "---|" * len(pairs))
    is_good, problems = True, []
    for feature in options.feature or FEATURES:
        row = [
            compared(options, device, feature, clip, pair, folder) for clip, pair in pairs.items()
        ]
        gate = FEATURES[feature][1] or "equal"
        print(f"| {feature} | {gate} | " + " | ".join(result.text() for result in row) + " |")
        problems += sorted({f"{feature}: {result.problem}" for result in row if result.problem})
        if not any(result.count for result in row):
            problems.append(f"{feature}: nothing was compared that is not 0")
            is_good = False
        is_good &= all(result.is_within for result in row)
        sys.stdout.flush()
    for problem in problems:
        print(f"\n{problem}")
    return is_good


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clips", type=pathlib.Path, required=True)
    parser.add_argument("--golden", type=pathlib.Path, required=True)
    parser.add_argument("--generator", type=pathlib.Path)
    parser.add_argument("--penstock", type=pathlib.Path, default=ROOT / "build/penstock")
    parser.add_argument("--device", action="append")
    parser.add_argument("--feature", action="append", choices=FEATURES)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        pairs = pairs_of_files(options, folder)
        if not pairs:
            sys.exit("video_parity: there is no clip to compare")
        outcomes = [
            table_of(options, device, pairs, folder) for device in options.device or ["host"]
        ]
    sys.exit(0 if all(outcomes) else 1)


if __name__ == "__main__":
    main()
