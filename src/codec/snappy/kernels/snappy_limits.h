// Numbers that Snappy kernels and the host share.
#pragma once

// Local memory of a warp, in bytes.
#define SNAPPY_DECODE_WARP_BYTES 4112u
