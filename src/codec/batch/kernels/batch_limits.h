// Numbers that kernels over a batch of chunks and the host share.
#pragma once

// Words of scratch memory before that of chunks: the counter, and padding.
#define BATCH_SCRATCH_HEAD_WORDS 64u
// Chunks are addressed by 32 bits from a multiple of 16 at or before their first byte.
#define BATCH_MAX_CHUNK_BYTES 0x7fffff00u
