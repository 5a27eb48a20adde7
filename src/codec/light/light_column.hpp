// Table columns that keep their numbers in a light encoding until they are decoded.
#pragma once
#include "codec/light/format/light_block.hpp"

namespace penstock::light {

// Wraps a block as a column. `validity` has a bit for each row, or is empty.
Column light_column(Block block, Bytes validity);
// Returns the block of a column; null if it is in no light encoding.
const Block* block_of(const Column& column);

}  // namespace penstock::light
