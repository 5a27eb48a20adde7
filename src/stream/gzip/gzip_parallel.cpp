// Decodes gzip members and zlib streams by our own decoder, several threads inside of one Deflate
// stream. The input is a file or in memory.
#include "codec/deflate/host/parallel_inflate.hpp"
#include "stream/gzip/gzip_decoders.hpp"
#include "stream/gzip/gzip_format.hpp"
#include "stream/input/byte_reader.hpp"

namespace penstock::stream {
namespace {

// The rest of a file from a Deflate stream on.
class StreamOfFile final : public deflate::InputWindow {
 public:
  StreamOfFile(FileWindow& window, std::uint64_t begin) : window_(window), begin_(begin) {}
  Status require(std::uint64_t first, std::uint64_t last) override {
    return window_.require(begin_ + first, begin_ + last);
  }
  void release(std::uint64_t first) override { window_.release(begin_ + first); }

 private:
  FileWindow& window_;
  std::uint64_t begin_;  // in the window
};

// Decodes the Deflate stream after a header.
class ParallelBody {
 public:
  // `window`: of a file; null if the input is in memory.
  static Result<ParallelBody> begin(Context& context, FileWindow* window, std::size_t header_bytes,
                                    const ErrorLocation& location, deflate::Checksum checksum) {
    PENSTOCK_ASSIGN(auto bytes, context.input.peek(header_bytes));
    bytes = bytes.subspan(header_bytes);
    ParallelBody body;
    body.location_ = location.at(location.offset + header_bytes);
    deflate::InflateOptions options{.threads = context.threads, .checksum = checksum};
    if (window != nullptr) {
      const std::uint64_t first = body.location_.offset - window->begin();
      bytes = window->bytes().subspan(first);
      options.window = std::make_shared<StreamOfFile>(*window, first);
    }
    auto inflate = deflate::ParallelInflate::begin(bytes, options);
    PENSTOCK_TRY(body.located(inflate.status()));
    body.inflate_ = *std::move(inflate);
    return body;
  }

  Result<std::span<const std::byte>> next() {
    auto bytes = inflate_->next();
    PENSTOCK_TRY(located(bytes.status()));
    output_bytes_ += bytes->size();
    return bytes;
  }
  const deflate::ParallelInflate& inflate() const { return *inflate_; }
  std::uint64_t output_bytes() const { return output_bytes_; }
  ErrorLocation end() const { return location_.at(location_.offset + inflate_->consumed_bytes()); }

 private:
  // Adds the location in the file: the decoder counts bytes from the stream's first.
  Status located(const Status& status) const {
    if (status.ok() || (status.code() != Code::corrupt && status.code() != Code::truncated))
      return status;
    return location_.at(location_.offset + (inflate_ ? inflate_->position() : 0))
        .error(status.code(), status.message());
  }

  ErrorLocation location_{};
  std::unique_ptr<deflate::ParallelInflate> inflate_;
  std::uint64_t output_bytes_ = 0;
};

class ParallelMembers : public Decoder {
 public:
  ParallelMembers(Context& context, std::unique_ptr<FileWindow> window)
      : context_(context), window_(std::move(window)) {}

  Result<std::span<const std::byte>> next() override {
    for (;;) {
      if (!body_) {
        PENSTOCK_ASSIGN(const bool has_begun, begin_member());
        if (!has_begun) return std::span<const std::byte>();
      }
      PENSTOCK_ASSIGN(const auto bytes, body_->next());
      if (!bytes.empty()) return bytes;
      PENSTOCK_TRY(end_member());
    }
  }

  std::uint64_t bytes_decoded_ahead() const override {
    return body_ ? body_->inflate().position() : 0;
  }

 private:
  // Returns false if next_streamed_header() has nothing.
  Result<bool> begin_member() {
    PENSTOCK_ASSIGN(const auto header,
                    next_streamed_header(context_, !std::exchange(is_used_, true)));
    if (!header) return false;
    const ErrorLocation location{Format::gzip, context_.report.member_count,
                                 context_.input.offset()};
    PENSTOCK_ASSIGN(body_, ParallelBody::begin(context_, window_.get(), header->header_bytes,
                                               location, deflate::Checksum::crc32));
    return true;
  }

  Status end_member() {
    const ErrorLocation trailer = body_->end();
    PENSTOCK_TRY(context_.input.skip_to(trailer.offset));
    PENSTOCK_ASSIGN(const auto bytes, context_.input.peek(gzip_trailer_bytes));
    PENSTOCK_TRY(
        check_gzip_trailer(bytes, body_->inflate().checksum(), body_->output_bytes(), trailer));
    context_.input.skip(gzip_trailer_bytes);
    body_.reset();
    return {};
  }

  Context& context_;
  std::unique_ptr<FileWindow> window_;  // before what reads it
  std::optional<ParallelBody> body_;
  bool is_used_ = false;
};

class ParallelZlib : public Decoder {
 public:
  ParallelZlib(Context& context, std::unique_ptr<FileWindow> window)
      : context_(context), window_(std::move(window)) {}

  Result<std::span<const std::byte>> next() override {
    if (is_done_) return std::span<const std::byte>();
    if (!body_) PENSTOCK_TRY(begin_stream());
    PENSTOCK_ASSIGN(const auto bytes, body_->next());
    if (!bytes.empty()) return bytes;
    const ErrorLocation trailer = body_->end();
    PENSTOCK_TRY(context_.input.skip_to(trailer.offset));
    PENSTOCK_ASSIGN(const auto trailer_bytes, context_.input.peek(4));
    PENSTOCK_TRY(check_zlib_trailer(trailer_bytes, body_->inflate().checksum(), trailer));
    context_.input.skip(4);
    is_done_ = true;
    return bytes;
  }

  std::uint64_t bytes_decoded_ahead() const override {
    return body_ && !is_done_ ? body_->inflate().position() : 0;
  }

 private:
  Status begin_stream() {
    PENSTOCK_ASSIGN(const auto bytes, context_.input.peek(2));
    const ErrorLocation location{Format::zlib, ++context_.report.member_count,
                                 context_.input.offset()};
    PENSTOCK_ASSIGN(const ZlibHeader header, parse_zlib_header(bytes, location));
    PENSTOCK_ASSIGN(body_, ParallelBody::begin(context_, window_.get(), header.header_bytes,
                                               location, deflate::Checksum::adler32));
    return {};
  }

  Context& context_;
  std::unique_ptr<FileWindow> window_;  // before what reads it
  std::optional<ParallelBody> body_;
  bool is_done_ = false;
};

}  // namespace

Result<bool> fits_parallel_members(Context& context) { return context.input.size().has_value(); }
Result<std::unique_ptr<Decoder>> make_parallel_members(Context& context) {
  PENSTOCK_ASSIGN(auto window, context.input.open_window());
  return std::unique_ptr<Decoder>(new ParallelMembers(context, std::move(window)));
}
Result<bool> fits_parallel_zlib(Context& context) {
  PENSTOCK_ASSIGN(const bool needs_dictionary, zlib_needs_dictionary(context.input));
  return context.input.size() && !needs_dictionary;
}
Result<std::unique_ptr<Decoder>> make_parallel_zlib(Context& context) {
  PENSTOCK_ASSIGN(auto window, context.input.open_window());
  return std::unique_ptr<Decoder>(new ParallelZlib(context, std::move(window)));
}

}  // namespace penstock::stream
