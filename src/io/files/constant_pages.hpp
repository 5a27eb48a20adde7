// Pages that no file has: those of a column of which all rows of a row group have one value, such
// as a key of the file's path. Kernels read them as they read stored ones.
#pragma once
#include "codec/pages/paged_table.hpp"
#include "penstock/expression.hpp"

namespace penstock::io {

// Returns how such a column is stored where no file has it.
pages::PagedColumn constant_paged_column(Type type, bool nullable);

// What a footer would say of a chunk of one value. `column` may be one that other files have; its
// shape is kept to, and what it cannot hold is refused.
pages::StoredChunk constant_stored_chunk(const pages::PagedColumn& column, const Scalar& value);

// Returns a dictionary page of one entry and a data page of one run of it; of NULLs a data page of
// levels alone, but for strings, which have a dictionary always. `memory` may be empty.
Result<pages::ChunkPages> constant_chunk(const pages::PagedColumn& column, const Scalar& value,
                                         std::uint32_t row_group, std::uint32_t row_count,
                                         const BatchAllocator& memory);

}  // namespace penstock::io
