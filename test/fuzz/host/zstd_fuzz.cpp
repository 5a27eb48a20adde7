// Zstandard frames that lie: our status is libzstd's, or stricter as listed, and the bytes are the
// same.
//
// The first byte chooses whether the rest is a frame or its blocks behind a header that is right,
// how it is decoded, and a dictionary. No frame has a checksum that is looked at, which a fuzzer
// does not find: libzstd is told to pass it by, as we are.
#include "fuzz/input.hpp"
#include "zstd_frames.hpp"

namespace penstock::zstd_test {
namespace {

constexpr std::size_t max_bytes = 1 << 17;  // of output; longer ones are not compared
constexpr int window_log =
    18;  // of both decoders' limits: fresh memory for larger windows is most of an input's time

const std::string& dictionary() {
  static const std::string text = words(3000, 1);
  return text;
}

// libzstd's status of the first frame, and how many bytes it has. Like ours, it is asked in
// pieces: all at once it lets windows pass.
ChunkStatus first_frame(const std::string& file, bool has_dictionary, std::size_t& frame_bytes) {
  ZSTD_DCtx* const context = ZSTD_createDCtx();
  ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, window_log);
  ZSTD_DCtx_setParameter(context, ZSTD_d_forceIgnoreChecksum, ZSTD_d_ignoreChecksum);
  if (has_dictionary) ZSTD_DCtx_loadDictionary(context, dictionary().data(), dictionary().size());
  std::string text(max_bytes + 1, 0);
  ZSTD_inBuffer in{file.data(), file.size(), 0};
  ZSTD_outBuffer out{text.data(), text.size(), 0};
  std::size_t hint = 1;
  for (std::size_t before = 1; hint != 0 && !ZSTD_isError(hint) && before != in.pos + out.pos;) {
    before = in.pos + out.pos;
    hint = ZSTD_decompressStream(context, &out, &in);
  }
  ZSTD_freeDCtx(context);
  frame_bytes = in.pos;
  text.resize(out.pos);
  if (ZSTD_isError(hint)) return {false, ZSTD_getErrorName(hint)};
  return {hint == 0, hint == 0 ? text : "cut short"};
}

void fail(const char* what, const ChunkStatus& ours, const ChunkStatus& theirs) {
  std::fprintf(stderr, "%s\n  ours: %.300s\n  libzstd: %.300s\n", what,
               ours.is_ok ? "decoded" : ours.output.c_str(),
               theirs.is_ok ? "decoded" : theirs.output.c_str());
  std::abort();
}

void compare(const ChunkStatus& ours, const ChunkStatus& theirs) {
  if (ours.is_ok && !theirs.is_ok) fail("libzstd refuses what we decode", ours, theirs);
  if (ours.is_ok && ours.output != theirs.output) fail("other bytes", ours, theirs);
  if (!ours.is_ok && theirs.is_ok && !is_listed_as_stricter(ours.output))
    fail("we refuse what libzstd decodes", ours, theirs);
}

void run(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return;
  const unsigned chosen = data[0];
  std::string file(reinterpret_cast<const char*>(data + 1), size - 1);
  if (chosen & 1)
    file =
        std::string("\x28\xb5\x2f\xfd\0", 5) + static_cast<char>(chosen & 2 ? 0x38 : 0x00) + file;
  const bool has_dictionary = (chosen & 4) != 0;
  std::size_t frame_bytes = 0;
  const ChunkStatus theirs = first_frame(file, has_dictionary, frame_bytes);
  if (theirs.is_ok) file.resize(frame_bytes);
  const bool is_other = file.compare(0, 4, "\x28\xb5\x2f\xfd") !=
                        0;  // libzstd skips frames, and decodes frames of zstd before 0.8
  if (theirs.output.size() > max_bytes || is_other) return;
  zstd::DecodeOptions options{.threads = chosen & 8 ? 3u : 1u,
                              .window_limit_bytes = 1 << window_log,
                              .is_checksum_verified = false};
  if (has_dictionary) options.dictionary = *zstd::read_dictionary(bytes_of(dictionary()));
  const ChunkStatus pieces = pulled(file, options);
  if (pieces.output != "bytes behind the frame") compare(pieces, theirs);
  const ChunkStatus whole = decoded(file, max_bytes, options);
  const bool is_beyond = pieces.output.find("beyond the limit") !=
                         std::string::npos;  // of windows, which only pieces need
  if (whole.is_ok != pieces.is_ok && !is_beyond) fail("in pieces and at once", pieces, whole);
  if (has_dictionary) return;
  const ChunkStatus portable = decoded_by(zstd::portable_hot_loops(), file, max_bytes);
  if (whole.is_ok && (!portable.is_ok || portable.output != whole.output))
    fail("the portable loops have other bytes", whole, portable);
}

}  // namespace
}  // namespace penstock::zstd_test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  penstock::zstd_test::run(data, size);
  return 0;
}
