// Numbers that resolve_source_indices.kc and the host share.
#pragma once

// Words of a stream of source indices.
#define LZ_STREAM_WORDS 6u
// Output that a thread writes: of a group, and by itself.
#define LZ_BYTES_PER_THREAD 8u
#define LZ_BYTES_OF_SINGLE_THREAD 4096u
