/* The possible faults of a page's bytes: one list for kernels and host. The number, the code
 * of penstock::Code, and the message, which follows "byte N of the page: " or, of a value that does
 * not fit, "value N of the page: ". */
#pragma once

#define PAGE_OK 0u
#define PAGE_LEVELS_CUT 1u
#define PAGE_LEVEL_INVALID 2u
#define PAGE_RUN_CUT 3u
#define PAGE_RUN_INVALID 4u
#define PAGE_VALUES_CUT 5u
#define PAGE_WIDTH_INVALID 6u
#define PAGE_INDEX_OUTSIDE 7u
#define PAGE_BOOLEAN_INVALID 8u
#define PAGE_DELTA_INVALID 9u
#define PAGE_DELTA_CUT 10u
#define PAGE_STREAMS_INVALID 11u
#define PAGE_LEVEL_CUT 12u
#define PAGE_TEXT_CUT 13u
#define PAGE_TEXT_LONG 14u
#define PAGE_LENGTH_NEGATIVE 15u
#define PAGE_TEXTS_SIZE 16u
#define PAGE_PREFIX_INVALID 17u
#define PAGE_TEXTS_LONG 18u

#define PAGE_ERRORS(X)                                                                            \
  X(PAGE_LEVELS_CUT, truncated, "the definition levels end past the page's last byte")            \
  X(PAGE_LEVEL_CUT, truncated, "the definition levels end before those of the last value")        \
  X(PAGE_LEVEL_INVALID, corrupt, "a definition level above 1")                                    \
  X(PAGE_RUN_CUT, truncated, "a run ends past the page's last byte")                              \
  X(PAGE_RUN_INVALID, corrupt, "an invalid run header")                                           \
  X(PAGE_VALUES_CUT, truncated, "the page ends before its last value")                            \
  X(PAGE_WIDTH_INVALID, corrupt, "dictionary indices of more than 32 bits")                       \
  X(PAGE_INDEX_OUTSIDE, corrupt, "an index outside the dictionary")                               \
  X(PAGE_BOOLEAN_INVALID, corrupt, "a boolean above 1")                                           \
  X(PAGE_DELTA_INVALID, corrupt, "an invalid header of DELTA_BINARY_PACKED")                      \
  X(PAGE_DELTA_CUT, truncated, "DELTA_BINARY_PACKED ends before the last value")                  \
  X(PAGE_STREAMS_INVALID, corrupt, "the size does not fit BYTE_STREAM_SPLIT and the value count") \
  X(PAGE_TEXT_CUT, truncated, "a string ends past the page's last byte")                          \
  X(PAGE_TEXT_LONG, unsupported, "a string of 16 MiB or more, which the host decodes")            \
  X(PAGE_LENGTH_NEGATIVE, corrupt, "a negative length of a string")                               \
  X(PAGE_TEXTS_SIZE, corrupt, "the lengths of strings do not add up to the bytes of the page")    \
  X(PAGE_PREFIX_INVALID, corrupt, "a string shares more than the one before it has")              \
  X(PAGE_TEXTS_LONG, unsupported,                                                                 \
    "strings that together have 1 GiB or more, which the host decodes")
