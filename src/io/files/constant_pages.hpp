// Pages that no file has, for a column with one value in all rows of a row group, such as a key of
// the file's path. Kernels read them like stored pages.
#pragma once
#include "codec/pages/paged_table.hpp"
#include "penstock/expression.hpp"

namespace penstock::io {

// Returns how such a column would be stored if no file has it.
pages::PagedColumn constant_paged_column(Type type, bool nullable);

// Returns what a footer would say of a chunk of one value. `column` may be one that other files
// have: the chunk keeps its shape, and a value that the shape cannot hold is refused.
pages::StoredChunk constant_stored_chunk(const pages::PagedColumn& column, const Scalar& value);

// Returns a dictionary page of one entry and a data page with one run of it. NULLs have a data page
// of levels alone, but strings always have a dictionary. `memory` may be empty.
Result<pages::ChunkPages> constant_chunk(const pages::PagedColumn& column, const Scalar& value,
                                         std::uint32_t row_group, std::uint32_t row_count,
                                         const BatchAllocator& memory);

}  // namespace penstock::io
