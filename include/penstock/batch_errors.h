/* The errors that kernels report of a chunk: one list for C (batch.h), C++ (batch.hpp) and Kernel C
 * (src/codec/batch/kernels/chunk_batch.kc). Numbers are never reused. */
#ifndef PENSTOCK_BATCH_ERRORS_H
#define PENSTOCK_BATCH_ERRORS_H

#define PENSTOCK_CHUNK_OK 0u
#define PENSTOCK_CHUNK_TRUNCATED_INPUT 1u /* the input ends inside an element */
#define PENSTOCK_CHUNK_OUTPUT_TOO_SMALL                     \
  2u /* decoding: the output does not fit into its capacity \
      */
#define PENSTOCK_CHUNK_INVALID_DISTANCE                                                          \
  3u                                      /* a match begins before the output, or has distance 0 \
                                           */
#define PENSTOCK_CHUNK_INVALID_END 4u     /* the end of a block breaks a rule of the format */
#define PENSTOCK_CHUNK_INPUT_TOO_LARGE 5u /* the chunk has more than max_chunk_bytes */
#define PENSTOCK_CHUNK_SIZE_MISMATCH                           \
  6u /* the output's size is not the one that the chunk stores \
      */
#define PENSTOCK_CHUNK_ENCODED_TOO_LARGE                   \
  7u /* encoding: the chunk does not fit into its capacity \
      */
#define PENSTOCK_CHUNK_INVALID_HEADER \
  8u /* an invalid header before the blocks, or one of more than 1 MiB */
#define PENSTOCK_CHUNK_CHECKSUM_MISMATCH \
  9u /* the checksum of the output, or of the header, is wrong */
#define PENSTOCK_CHUNK_INVALID_BLOCK 10u        /* an invalid block header */
#define PENSTOCK_CHUNK_INVALID_CODE_LENGTHS 11u /* code lengths that are no prefix code */
#define PENSTOCK_CHUNK_INVALID_CODE 12u         /* a code word without a symbol */
#define PENSTOCK_CHUNK_NEEDS_DICTIONARY \
  13u /* the zlib stream or Zstandard frame needs a preset dictionary */
#define PENSTOCK_CHUNK_ADDITIONAL_FRAME \
  14u /* Zstandard: another frame follows the first; only one is decoded */

/* X(name of penstock::batch::ErrorCode, number, name of penstock::Code, message) for each error. */
#define PENSTOCK_CHUNK_ERRORS(X)                                                                 \
  X(truncated_input, PENSTOCK_CHUNK_TRUNCATED_INPUT, truncated, "input truncated")               \
  X(output_too_small, PENSTOCK_CHUNK_OUTPUT_TOO_SMALL, capacity, "output buffer too small")      \
  X(invalid_distance, PENSTOCK_CHUNK_INVALID_DISTANCE, corrupt, "invalid distance too far back") \
  X(invalid_end, PENSTOCK_CHUNK_INVALID_END, corrupt, "invalid end of block")                    \
  X(input_too_large, PENSTOCK_CHUNK_INPUT_TOO_LARGE, capacity, "input too large: 2 GiB or more") \
  X(size_mismatch, PENSTOCK_CHUNK_SIZE_MISMATCH, corrupt, "incorrect length check")              \
  X(encoded_too_large, PENSTOCK_CHUNK_ENCODED_TOO_LARGE, capacity,                               \
    "output buffer too small for the compressed chunk")                                          \
  X(invalid_header, PENSTOCK_CHUNK_INVALID_HEADER, corrupt, "invalid header")                    \
  X(checksum_mismatch, PENSTOCK_CHUNK_CHECKSUM_MISMATCH, corrupt, "incorrect data check")        \
  X(invalid_block, PENSTOCK_CHUNK_INVALID_BLOCK, corrupt, "invalid block type or block header")  \
  X(invalid_code_lengths, PENSTOCK_CHUNK_INVALID_CODE_LENGTHS, corrupt,                          \
    "invalid code lengths set")                                                                  \
  X(invalid_code, PENSTOCK_CHUNK_INVALID_CODE, corrupt, "invalid code")                          \
  X(needs_dictionary, PENSTOCK_CHUNK_NEEDS_DICTIONARY, unsupported, "dictionary needed")         \
  X(additional_frame, PENSTOCK_CHUNK_ADDITIONAL_FRAME, unsupported, "more than one frame")

#endif
