"""The list of devices with a driver of CUDA that tells its version late (fake_cuda.cpp)."""

import sys

from command_line import CommandLineTest, main

DRIVER_FOLDER = sys.argv[2]


class FakeCuda(CommandLineTest):
    def test_a_version_that_is_told_after_the_start_is_the_drivers(self):
        ended = self.run_program(
            "devices", LD_LIBRARY_PATH=DRIVER_FOLDER, PENSTOCK_HIDE="cpu,opencl"
        )
        if "no usable NVRTC" in ended.err:
            self.skipTest("no NVRTC")
        self.assertRegex(ended.out, r"driver +CUDA 13\.0")


main()
