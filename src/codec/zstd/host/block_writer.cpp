#include "codec/zstd/host/block_writer.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "codec/zstd/format/code_tables.hpp"
#include "codec/zstd/format/zstd_bits.hpp"

namespace penstock::zstd {
namespace {

// Matches of this distance leave the caches of a core.
constexpr std::uint32_t min_far_offset = 1 << 19;

Status in_block(Code code, const BlockPlan& plan, const std::string& what) {
  return {code, "Zstandard frame: block " + std::to_string(plan.number) + " at byte " +
                    std::to_string(plan.first_byte) + ": " + what};
}

// Copies byte by byte where source and target overlap. Writes nothing after the match.
void copy_match(Byte* out, std::uint32_t offset, std::uint64_t bytes, const MatchSource& source) {
  const auto reach = static_cast<std::uint64_t>(out - source.begin);
  std::uint64_t before = 0;
  if (offset > reach) {
    before = std::min(offset - reach, bytes);
    std::memmove(out, source.before_end - (offset - reach), before);
  }
  for (std::uint64_t byte = before; byte < bytes; byte++) out[byte] = *(out + byte - offset);
}

std::span<const Byte> content_of(const Dictionary* dictionary) {
  return dictionary == nullptr ? std::span<const Byte>()
                               : std::span<const Byte>(dictionary->content);
}

}  // namespace

BlockWriter::BlockWriter(const HotLoops& loops, const FrameHeader& header,
                         const OutputLimits& limits, const Dictionary* dictionary,
                         OutputWindow output)
    : loops_(loops),
      header_(header),
      limits_(limits),
      output_(std::move(output)),
      dictionary_bytes_(content_of(dictionary).size()) {
  std::copy_n(dictionary == nullptr ? first_offsets : dictionary->offsets.data(),
              repeat_offsets_.size(), repeat_offsets_.begin());
}

std::uint64_t BlockWriter::bytes_of(const BlockPlan& plan, const DecodedBlock& block) {
  if (plan.type == BlockType::raw) return plan.content.size();
  return plan.type == BlockType::rle ? plan.run_bytes : block.bytes();
}

Status BlockWriter::check_size(const BlockPlan& plan, std::uint64_t bytes) const {
  if (header_.content_bytes && bytes > *header_.content_bytes - written_)
    return in_block(Code::corrupt, plan,
                    "the frame has more than the " + std::to_string(*header_.content_bytes) +
                        " bytes that it states");
  if (bytes > limits_.output_bytes - written_)
    return in_block(
        Code::capacity, plan,
        "it goes beyond the limit of " + std::to_string(limits_.output_bytes) + " bytes of output");
  return {};
}

Status BlockWriter::write(const BlockPlan& plan, const DecodedBlock& block) {
  const std::uint64_t bytes = bytes_of(plan, block);
  PENSTOCK_TRY(check_size(plan, bytes));
  if (!output_.make_capacity(bytes))
    return in_block(Code::capacity, plan, "the buffer for the output is too small");
  Byte* const out = output_.at();
  if (plan.type == BlockType::compressed)
    PENSTOCK_TRY(write_sequences(plan, block));
  else if (bytes != 0 && plan.type == BlockType::rle)
    std::memset(out, plan.content[0], bytes);
  else if (bytes != 0)
    std::memcpy(out, plan.content.data(), bytes);
  if (limits_.is_checksum_wanted) checksum_.update(std::as_bytes(std::span(out, bytes)));
  output_.advance(bytes);
  written_ += bytes;
  return {};
}

// Returns whether no check of a single offset is needed: all output before a block, and the
// dictionary, is within reach, or no offset exceeds the window.
bool BlockWriter::is_plain(const DecodedBlock& block) const {
  std::uint32_t largest = block.totals.offset_bits;
  for (const std::uint32_t offset : repeat_offsets_) largest = std::max(largest, offset);
  return largest <= header_.window_bytes || written_ + block.bytes() <= header_.window_bytes;
}

Status BlockWriter::write_sequences(const BlockPlan& plan, const DecodedBlock& block) {
  const Sequence* error = nullptr;
  if (!is_plain(block) || !output_.has_slack(block.bytes())) {
    error = write_carefully(block);
  } else {
    error = loops_.execute(block.sequences, block.literals, output_.at(), output_.source(),
                           repeat_offsets_, block.totals.offset_bits >= min_far_offset);
    const std::uint64_t rest = block.literal_bytes - block.totals.literal_bytes;
    if (error == nullptr && rest != 0)
      std::memcpy(output_.at() + block.totals.literal_bytes + block.totals.match_bytes,
                  block.literals + block.totals.literal_bytes, rest);
  }
  // Includes offset 0, which libzstd to 1.5.5 took for 1.
  if (error != nullptr)
    return in_block(Code::corrupt, plan,
                    "the offset of its sequence " + std::to_string(error - block.sequences.data()) +
                        " reaches before the window or is 0");
  const auto repeat_offsets = repeat_offsets_;
  for (std::size_t index = 0; index < repeat_offsets.size(); index++)
    repeat_offsets_[index] = resolved_offset(block.totals.repeat_offsets[index], repeat_offsets);
  return {};
}

// Matches reach back as far as the window, and into the dictionary as long as at most a window has
// been written.
bool BlockWriter::is_within_reach(std::uint32_t offset, std::uint64_t written) const {
  if (offset == 0) return false;
  if (written <= header_.window_bytes) return offset <= written + dictionary_bytes_;
  return offset <= header_.window_bytes;
}

const Sequence* BlockWriter::write_carefully(const DecodedBlock& block) {
  Byte* out = output_.at();
  const Byte* literals = block.literals;
  const MatchSource source = output_.source();
  const auto copy_literals = [&](std::uint64_t bytes) {
    if (bytes != 0) std::memcpy(out, literals, bytes);
    out += bytes;
    literals += bytes;
  };
  for (const Sequence& sequence : block.sequences) {
    copy_literals(sequence.literal_bytes);
    if (sequence.match_bytes == 0) continue;
    const std::uint32_t offset = resolved_offset(sequence.offset, repeat_offsets_);
    if (!is_within_reach(offset, written_ + static_cast<std::uint64_t>(out - output_.at())))
      return &sequence;
    copy_match(out, offset, sequence.match_bytes, source);
    out += sequence.match_bytes;
  }
  copy_literals(block.literal_bytes - block.totals.literal_bytes);
  return nullptr;
}

Result<std::uint64_t> BlockWriter::finish(std::span<const Byte> rest, std::uint64_t at) const {
  if (header_.has_checksum && rest.size() < checksum_bytes)
    return Status(Code::truncated, "Zstandard frame: it ends within its checksum, at byte " +
                                       std::to_string(at + rest.size()));
  if (header_.content_bytes && written_ != *header_.content_bytes)
    return Status(Code::corrupt, "Zstandard frame: it has " + std::to_string(written_) +
                                     " bytes and states " + std::to_string(*header_.content_bytes));
  if (!header_.has_checksum) return at;
  const bool is_verified = limits_.is_checksum_wanted;
  if (is_verified &&
      load_le(rest.data(), checksum_bytes) != static_cast<std::uint32_t>(checksum_.digest()))
    return Status(
        Code::corrupt,
        "Zstandard frame: what it decodes to has another checksum than it states at byte " +
            std::to_string(at));
  return at + checksum_bytes;
}

}  // namespace penstock::zstd
