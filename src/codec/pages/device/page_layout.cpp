#include "codec/pages/device/page_layout.hpp"

#include <algorithm>
#include <numeric>

namespace penstock::pages {
namespace {

// Kernels read a few bytes past a page. No other thread may write these bytes.
constexpr std::uint64_t alignment = 16, slack = 16;
constexpr std::uint64_t direct_alignment = 4096;
constexpr std::uint64_t max_page_bytes = 0x7fffff00, max_rows = std::uint64_t{1} << 31;
constexpr std::uint64_t range_bytes = 16 << 10;              // copied by one warp
constexpr std::uint64_t max_place = std::uint64_t{1} << 35;  // of an entry, in units of 8 bytes

std::uint64_t rounded_up(std::uint64_t value) {
  return (value + alignment - 1) / alignment * alignment;
}

// Integers of one or two bytes are stored in four.
std::uint32_t fit_number(Kind kind) {
  if (kind == Kind::int8) return PAGE_CONVERT_FIT_INT8;
  if (kind == Kind::uint8) return PAGE_CONVERT_FIT_UINT8;
  if (kind == Kind::int16) return PAGE_CONVERT_FIT_INT16;
  return kind == Kind::uint16 ? PAGE_CONVERT_FIT_UINT16 : PAGE_CONVERT_NONE;
}

std::uint32_t conversion_number(const PagedColumn& column) {
  switch (column.conversion) {
    case Conversion::none: return fit_number(column.type.kind);
    case Conversion::milliseconds: return PAGE_CONVERT_MILLISECONDS;
    case Conversion::nanoseconds: return PAGE_CONVERT_NANOSECONDS;
    case Conversion::int96: return PAGE_CONVERT_INT96;
    case Conversion::big_endian: break;
  }
  return PAGE_CONVERT_BIG_ENDIAN;
}

PageProgram first_pass_of(std::uint32_t form) {
  switch (form) {
    case PAGE_FORM_TEXTS: return PageProgram::texts;
    case PAGE_FORM_DELTA:
    case PAGE_FORM_LENGTHS:
    case PAGE_FORM_CHAINS: return PageProgram::deltas;
    default: return PageProgram::runs;
  }
}

PageProgram value_pass_of(const PageTask& task) {
  const bool is_checked =
      task[PAGE_TASK_FORM] == PAGE_FORM_INDICES || task[PAGE_TASK_CONVERSION] == PAGE_CONVERT_TEXT;
  return is_checked ? PageProgram::values : PageProgram::conversions;
}

std::uint32_t form_of(Encoding encoding) {
  switch (encoding) {
    case Encoding::dictionary: return PAGE_FORM_INDICES;
    case Encoding::rle: return PAGE_FORM_BOOLEANS;
    case Encoding::delta: return PAGE_FORM_DELTA;
    case Encoding::byte_streams: return PAGE_FORM_STREAMS;
    case Encoding::delta_lengths: return PAGE_FORM_LENGTHS;
    case Encoding::delta_bytes: return PAGE_FORM_CHAINS;
    case Encoding::plain: break;
  }
  return PAGE_FORM_PLAIN;
}

void put_place(PageTask& task, std::size_t word, std::uint64_t place) {
  task[word] = static_cast<std::uint32_t>(place);
  task[word + 1] = static_cast<std::uint32_t>(place >> 32);
}

// The most bytes that a compressed byte can become; 0 if a format has no bound worth the name.
std::uint64_t largest_ratio(Compression compression) {
  switch (compression) {
    case Compression::snappy: return 22;    // a copy of 64 bytes takes 3
    case Compression::lz4_raw: return 256;  // 255 bytes a byte of a match's length
    case Compression::gzip: return 1032;    // 258 bytes take two bits
    case Compression::none:
    case Compression::zstandard:
    case Compression::other: break;
  }
  return 0;
}

// Returns the fault of a page's header, or "".
std::string wrong_with(const Page& page, const ChunkPages& chunk) {
  if (page.offset > chunk.bytes.size() || page.stored_bytes > chunk.bytes.size() - page.offset)
    return "the page reaches past the end of its column chunk";
  if (page.stored_bytes > max_page_bytes || page.bytes > max_page_bytes)
    return "the page has 2 GiB or more";
  if (page.level_bytes > page.stored_bytes || page.level_bytes > page.bytes)
    return "the definition levels end past the page's last byte";
  const bool is_stored = !page.is_compressed || chunk.compression == Compression::none;
  if (is_stored && page.stored_bytes != page.bytes)
    return "a page that is not compressed has two sizes";
  const std::uint64_t ratio = largest_ratio(chunk.compression);
  if (page.is_compressed && ratio != 0 &&
      page.bytes > (std::uint64_t{page.stored_bytes} + 1) * ratio)
    return "the page claims more bytes than its compression can make";
  return page.value_count < max_rows ? "" : "the page has 2^31 values or more";
}

class Layout {
 public:
  explicit Layout(std::span<const ColumnOfPages> columns) : columns_(columns) {}

  Result<PageLayout> make() {
    for (at_.column = 0; at_.column < columns_.size(); at_.column++) PENSTOCK_TRY(add_column());
    for (const auto& [task, origin] : dictionary_tasks_) add_task(task, origin);
    made_.bytes = rounded_up(made_.bytes + slack);
    if (made_.bytes > max_place || made_.validity_words >> 32 != 0 || made_.slices.size() >> 31)
      return Status(Code::capacity, "the pages of a batch have 32 GiB or more");
    return std::move(made_);
  }

 private:
  const PagedColumn& column() const { return *columns_[at_.column].column; }
  // Strings without codes are known by their place in their page, and so are decimals of variable
  // length until they are converted.
  bool has_texts(const ChunkPages& chunk) const {
    return column().physical == Physical::byte_array && !chunk.dictionary_codes;
  }

  Status add_column() {
    ColumnTasks tasks;
    tasks.denies_nulls = column().denies_nulls;
    tasks.first_task = static_cast<std::uint32_t>(made_.tasks.size());
    tasks.first_slice = static_cast<std::uint32_t>(made_.slices.size());
    const std::uint64_t begin = made_.bytes;
    at_.chunk = 0;
    for (const ChunkPages* const chunk : columns_[at_.column].chunks) {
      const std::string refused = why_not_decoded(column(), *chunk);
      if (!refused.empty()) return Status(Code::invalid, refused);
      if (has_valid_headers(*chunk)) add_chunk(*chunk);
      tasks.row_count += chunk->row_count;
      at_.chunk++;
    }
    tasks.task_count = static_cast<std::uint32_t>(made_.tasks.size()) - tasks.first_task;
    tasks.slice_count = static_cast<std::uint32_t>(made_.slices.size()) - tasks.first_slice;
    tasks.byte_count = made_.bytes - begin;
    made_.columns.push_back(tasks);
    if (tasks.row_count != made_.columns.front().row_count || tasks.row_count >= max_rows)
      return Status(Code::invalid, "columns of a batch need the same number of rows below 2^31");
    return {};
  }

  void set_fault(std::uint32_t page, std::string message) {
    if (!made_.fault)
      made_.fault = PageFault{at_.column, at_.chunk, page, {Code::corrupt, std::move(message)}};
  }

  bool has_valid_headers(const ChunkPages& chunk) {
    std::uint64_t rows = 0;
    if (chunk.dictionary) {
      const std::string wrong = wrong_with(*chunk.dictionary, chunk);
      if (!wrong.empty()) set_fault(dictionary_page, wrong);
    }
    for (std::size_t i = 0; i < chunk.data.size(); i++) {
      const std::string wrong = wrong_with(chunk.data[i], chunk);
      if (!wrong.empty()) set_fault(static_cast<std::uint32_t>(i), wrong);
      rows += chunk.data[i].value_count;
    }
    if (!made_.fault && rows != chunk.row_count)
      set_fault(static_cast<std::uint32_t>(chunk.data.size()) - (chunk.data.empty() ? 0 : 1),
                "the pages have " + std::to_string(rows) + " values for " +
                    std::to_string(chunk.row_count) + " rows");
    return !made_.fault;
  }

  void add_chunk(const ChunkPages& chunk) {
    chunk_place_ = rounded_up(made_.bytes);
    if (chunk.compression == Compression::none) {
      // Entries of a dictionary are read as whole words.
      if (chunk.dictionary)
        chunk_place_ += (alignment - chunk.dictionary->offset % alignment) % alignment;
      made_.bytes = chunk_place_ + chunk.bytes.size() + slack;
      made_.uploads.push_back(
          {chunk.bytes, chunk_place_, false, chunk.file.get(), offset_in_file(chunk)});
    } else {
      chunk_place_ = place_compressed(chunk);
    }
    add_dictionary(chunk);
    for (std::size_t i = 0; i < chunk.data.size(); i++) {
      at_.page = static_cast<std::uint32_t>(i);
      add_data_page(chunk, chunk.data[i]);
    }
  }

  static std::uint64_t offset_in_file(const ChunkPages& chunk) {
    if (!chunk.file) return 0;
    return chunk.file_offset +
           static_cast<std::uint64_t>(chunk.bytes.data() - chunk.read_bytes.data());
  }

  // Returns the future place of a compressed chunk. Chunks that were read together are uploaded
  // together.
  std::uint64_t place_compressed(const ChunkPages& chunk) {
    const std::span<const std::byte> read =
        chunk.read_bytes.empty() ? chunk.bytes : chunk.read_bytes;
    // Files are read directly if both places are multiples of a block.
    const std::uint64_t block = chunk.file ? direct_alignment : alignment;
    const auto [at, is_new] =
        uploaded_.try_emplace(read.data(), (made_.compressed_bytes + block - 1) / block * block);
    if (is_new) {
      made_.compressed_bytes = at->second + read.size() + slack;
      made_.uploads.push_back({read, at->second, true, chunk.file.get(), chunk.file_offset});
    }
    return at->second + static_cast<std::uint64_t>(chunk.bytes.data() - read.data());
  }

  // Returns where a page's body will be, after what moves it there.
  std::uint64_t place_page(const ChunkPages& chunk, const Page& page) {
    if (chunk.compression == Compression::none) return chunk_place_ + page.offset;
    const std::uint64_t place = rounded_up(made_.bytes), from = chunk_place_ + page.offset;
    made_.bytes = place + page.bytes + slack;
    const std::uint32_t copied = page.is_compressed ? page.level_bytes : page.stored_bytes;
    for (std::uint64_t done = 0; done < copied; done += range_bytes)
      made_.ranges.push_back({place + done, from + done, std::min(copied - done, range_bytes)});
    if (!page.is_compressed || page.bytes == copied) return place;
    PageInflation& inflation = made_.inflations[chunk.compression];
    inflation.input_offsets.push_back(from + copied);
    inflation.input_sizes.push_back(page.stored_bytes - copied);
    inflation.output_offsets.push_back(place + copied);
    inflation.capacities.push_back(page.bytes - copied);
    inflation.max_output_bytes = std::max<std::uint64_t>(inflation.max_output_bytes, page.bytes);
    inflation.origins.push_back(at_);
    return place;
  }

  std::uint64_t reserve_values(std::uint64_t count, std::uint32_t width) {
    const std::uint64_t place = rounded_up(made_.bytes);
    made_.bytes = place + count * width + slack;
    return place;
  }

  void add_dictionary(const ChunkPages& chunk) {
    dictionary_place_ = 0;
    entries_ = 0;
    at_.page = dictionary_page;
    if (chunk.dictionary_codes) {
      entries_ = static_cast<std::uint32_t>(chunk.dictionary_codes->size());
      dictionary_place_ = reserve_values(entries_, 4);
      made_.uploads.push_back(
          {std::as_bytes(std::span(*chunk.dictionary_codes)), dictionary_place_});
      return;
    }
    if (!chunk.dictionary) return;
    const Page& page = *chunk.dictionary;
    entries_ = page.value_count;
    dictionary_place_ = place_page(chunk, page);
    if (has_texts(chunk)) return add_dictionary_of_texts(page);
    if (page.bytes / stored_bytes_of(column()) < entries_)
      return set_fault(dictionary_page, "byte " + std::to_string(page.bytes) +
                                            " of the page: the page ends before its last value");
    PageTask task = task_of(page, Encoding::plain, dictionary_place_);
    if (task[PAGE_TASK_CONVERSION] == PAGE_CONVERT_NONE) return;
    if (column().conversion != Conversion::none) {
      dictionary_place_ = reserve_values(entries_, 8);
      put_place(task, PAGE_TASK_CONVERTED, dictionary_place_);
      task[PAGE_TASK_OUT_WIDTH] = 8;
    }
    dictionary_tasks_.emplace_back(task, at_);
  }

  void add_dictionary_of_texts(const Page& page) {
    PageTask task = task_of(page, Encoding::plain, dictionary_place_);
    task[PAGE_TASK_FORM] = PAGE_FORM_TEXTS;
    dictionary_place_ = set_texts(task);
    dictionary_tasks_.emplace_back(task, at_);
  }

  // Reserves memory for the words of a task's strings, and for assembling them. Returns where the
  // words will be.
  std::uint64_t set_texts(PageTask& task) {
    const bool is_chained = task[PAGE_TASK_FORM] == PAGE_FORM_CHAINS;
    const std::uint64_t place = reserve_values(task[PAGE_TASK_VALUES], is_chained ? 16 : 8);
    made_.has_chains = made_.has_chains || is_chained;
    if (column().type.kind == Kind::string) task[PAGE_TASK_CONVERSION] = PAGE_CONVERT_TEXT;
    if (column().physical == Physical::byte_array) task[PAGE_TASK_WIDTH] = 0;  // any
    task[PAGE_TASK_OUT_WIDTH] = 8;
    put_place(task, PAGE_TASK_CONVERTED, place);
    return place;
  }

  PageTask task_of(const Page& page, Encoding encoding, std::uint64_t place) const {
    PageTask task{};
    put_place(task, PAGE_TASK_PLACE, place);
    task[PAGE_TASK_BYTES] = page.bytes;
    task[PAGE_TASK_VALUES] = page.value_count;
    task[PAGE_TASK_FORM] = form_of(encoding);
    if (encoding != Encoding::dictionary) task[PAGE_TASK_CONVERSION] = conversion_number(column());
    task[PAGE_TASK_WIDTH] = stored_bytes_of(column());
    task[PAGE_TASK_LEVEL_BYTES] = page.level_bytes;
    return task;
  }

  void add_data_page(const ChunkPages& chunk, const Page& page) {
    PageTask task = task_of(page, page.encoding, place_page(chunk, page));
    if (column().is_optional) {
      task[PAGE_TASK_LEVELS] = page.is_v2 ? PAGE_LEVELS_V2 : PAGE_LEVELS_V1;
      task[PAGE_TASK_VALIDITY] = static_cast<std::uint32_t>(made_.validity_words);
      made_.validity_words += (std::uint64_t{page.value_count} + 31) / 32 * 2;
    }
    const bool is_converted = column().conversion != Conversion::none;
    if (page.encoding == Encoding::dictionary) {
      task[PAGE_TASK_ENTRIES] = entries_;
      task[PAGE_TASK_DICTIONARY] = static_cast<std::uint32_t>(dictionary_place_ / 8);
    } else if (page.encoding == Encoding::rle) {
      task[PAGE_TASK_ENTRIES] = 2;
    } else if (has_texts(chunk) || page.encoding == Encoding::delta_bytes) {
      if (page.encoding == Encoding::plain) task[PAGE_TASK_FORM] = PAGE_FORM_TEXTS;
      set_texts(task);
    } else if (is_converted || page.encoding != Encoding::plain) {
      task[PAGE_TASK_OUT_WIDTH] = is_converted ? 8 : stored_bytes_of(column());
      put_place(task, PAGE_TASK_CONVERTED,
                reserve_values(page.value_count, task[PAGE_TASK_OUT_WIDTH]));
    }
    add_task(task, at_);
  }

  void add_task(PageTask task, const PageOrigin& origin) {
    const std::uint32_t form = task[PAGE_TASK_FORM];
    const bool is_sliced = form == PAGE_FORM_INDICES || form == PAGE_FORM_STREAMS ||
                           task[PAGE_TASK_CONVERSION] != PAGE_CONVERT_NONE;
    made_.first_pass.insert(first_pass_of(form));
    if (is_sliced) made_.value_pass.insert(value_pass_of(task));
    task[PAGE_TASK_FIRST_SLICE] = static_cast<std::uint32_t>(made_.slices.size());
    const std::uint32_t slices =
        is_sliced || form == PAGE_FORM_BOOLEANS
            ? (task[PAGE_TASK_VALUES] + PAGE_SLICE_VALUES - 1) / PAGE_SLICE_VALUES
            : 1;
    made_.slices.insert(made_.slices.end(), slices, static_cast<std::uint32_t>(made_.tasks.size()));
    made_.tasks.push_back(task);
    made_.origins.push_back(origin);
  }

  std::span<const ColumnOfPages> columns_;
  PageLayout made_;
  PageOrigin at_;
  std::uint64_t chunk_place_ = 0, dictionary_place_ = 0;  // of the chunk that is being added
  std::map<const std::byte*, std::uint64_t> uploaded_;    // places of jointly read bytes
  std::uint32_t entries_ = 0;
  std::vector<std::pair<PageTask, PageOrigin>> dictionary_tasks_;
};

}  // namespace

std::uint32_t stored_bytes_of(const PagedColumn& column) {
  switch (column.physical) {
    case Physical::boolean: return 0;
    case Physical::int32:
    case Physical::float32: return 4;
    case Physical::int96: return 12;
    case Physical::fixed_bytes: return column.fixed_bytes;
    case Physical::int64:
    case Physical::float64:
    case Physical::byte_array: break;
  }
  return 8;
}

void add_needs(PageNeeds& needs, const PagedTable& table, std::uint32_t column) {
  const ChunkSummary summary = table.summary(column);
  needs.compressions.insert(summary.compressions.begin(), summary.compressions.end());
  needs.programs.insert({PageProgram::runs, PageProgram::values, PageProgram::index});
  if (summary.has_plain_strings) needs.programs.insert(PageProgram::texts);
  if (summary.has_deltas) needs.programs.insert(PageProgram::deltas);
  if (conversion_number(table.columns()[column]) != PAGE_CONVERT_NONE)
    needs.programs.insert(PageProgram::conversions);
}

Result<PageLayout> lay_out_pages(std::span<const ColumnOfPages> columns) {
  return Layout(columns).make();
}

}  // namespace penstock::pages
