// Loops that a compiler turns into vector instructions: contiguous, without branches, no function
// called that is not inlined.
#pragma once

// Before a function: it is compiled for SSE2, AVX2 and AVX-512, and the processor's own is chosen
// when the program starts. No products and sums are fused in any (-ffp-contract=off), so that all
// return the same bits. Clang and libraries without indirect functions compile the first alone.
// Sanitizers, too: they are not ready when the choice is made.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PENSTOCK_VECTOR_LOOP \
  __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define PENSTOCK_VECTOR_LOOP
#endif

// Before a function that such loops call. It has to be a part of each of them: on its own it would
// be compiled for one processor.
#define PENSTOCK_IN_VECTOR_LOOP [[gnu::always_inline]] inline
