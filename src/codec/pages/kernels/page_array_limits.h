/* Shared by the kernels that write Arrow's arrays and their host. */
#pragma once

/* Rows, or words of 32 bits, that a group takes at once. */
#define PAGE_ARRAY_TILE 1024u
