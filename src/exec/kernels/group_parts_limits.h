// Numbers that group_parts.kc and the host share.
#pragma once

#define PARTS_MAX 256u  // of the groups of one device

// The words of `layout` before two for each key: its bits, and its ORDER_ kind.
#define PARTS_LAYOUT_WORDS 2u
