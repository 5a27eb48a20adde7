// The low-pass filter of MS-SSIM's scales, which kernels and the host share: the products of the
// 9/7 wavelet's taps, as libvmaf has them to six decimals. Not all are rounded the same way, so the
// filter is not quite separable. It is symmetric along both axes and between them.
#pragma once

#define LOW_PASS_REACH 4u  // samples from the centre
#define LOW_PASS_SIDE 5u   // distances from the centre, 0 among them
// By rows from the centre, then by columns from the centre.
#define LOW_PASS_WEIGHTS_0 0.363505f, 0.160885f, -0.047149f, -0.010146f, 0.016114f
#define LOW_PASS_WEIGHTS_1 0.160885f, 0.071207f, -0.020867f, -0.004490f, 0.007132f
#define LOW_PASS_WEIGHTS_2 -0.047149f, -0.020867f, 0.006115f, 0.001316f, -0.002090f
#define LOW_PASS_WEIGHTS_3 -0.010146f, -0.004490f, 0.001316f, 0.000283f, -0.000450f
#define LOW_PASS_WEIGHTS_4 0.016114f, 0.007132f, -0.002090f, -0.000450f, 0.000714f
