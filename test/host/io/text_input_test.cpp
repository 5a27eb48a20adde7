// Texts as one run of bytes: plain, compressed, through pipes and as standard input.
#include "io/text/text_input.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "host/io/io_files.hpp"
#include "penstock/stream.hpp"

namespace penstock::io {
namespace {

using namespace std::string_view_literals;
using test::Folder, test::write_file;

Result<std::string> all_of(const std::string& path, std::size_t block_bytes = 1 << 16) {
  PENSTOCK_ASSIGN(const auto input, open_text(path));
  std::string all, block(block_bytes, '\0');
  for (;;) {
    PENSTOCK_ASSIGN(const std::size_t bytes, input->read(block));
    all.append(block, 0, bytes);
    if (bytes < block.size()) return all;
  }
}

std::string error_of(const std::string& path) { return all_of(path).status().text(); }

std::string lines(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; i++)
    text += std::to_string(i * 7919) + "," + std::to_string(i) + "\n";
  return text;
}

std::string compressed(std::string_view text, stream::Format format) {
  const auto bytes = stream::compress(std::as_bytes(std::span(text)), {.format = format});
  EXPECT_TRUE(bytes.ok()) << bytes.status().text();
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

// The descriptor 0 of the process is another file while it lives.
class StandardInput {
 public:
  explicit StandardInput(int descriptor) : saved_(::dup(0)) { ::dup2(descriptor, 0); }
  ~StandardInput() {
    ::dup2(saved_, 0);
    ::close(saved_);
  }

 private:
  const int saved_;
};

// Writes into a pipe from a thread of its own, as another program does.
class PipeWriter {
 public:
  explicit PipeWriter(std::string text) {
    EXPECT_EQ(::pipe2(ends_, O_CLOEXEC), 0);
    writer_ = std::thread([end = ends_[1], text = std::move(text)] {
      for (std::size_t at = 0; at < text.size();) {
        const ssize_t count = ::write(end, text.data() + at, text.size() - at);
        if (count <= 0) break;
        at += static_cast<std::size_t>(count);
      }
      ::close(end);
    });
  }
  ~PipeWriter() {
    ::close(ends_[0]);
    writer_.join();
  }
  int descriptor() const { return ends_[0]; }

 private:
  int ends_[2] = {-1, -1};
  std::thread writer_;
};

TEST(TextInput, AFileIsReadFromItsFirstByteByEveryReader) {
  const Folder folder;
  write_file(folder / "t", "a,b\n1,2\n");
  for (const std::size_t block_bytes : {1u, 3u, 8u, 100u})
    EXPECT_EQ(all_of(folder / "t", block_bytes).value(), "a,b\n1,2\n");
}

TEST(TextInput, CompressedFilesAreKnownByTheirContent) {
  const Folder folder;
  const std::string text = lines(50'000);
  for (const stream::Format format :
       {stream::Format::gzip, stream::Format::zstd, stream::Format::lz4}) {
    write_file(folder / "plain.csv", compressed(text, format));
    EXPECT_EQ(all_of(folder / "plain.csv", 1000).value(), text) << name_of(format);
  }
  write_file(folder / "zlib", "\x78\x9c\x4b\xd4\x49\xe2\x32\xd4\x31\xe2\x02\x00\x08\x78\x01\x93"sv);
  EXPECT_EQ(all_of(folder / "zlib").value(), "a,b\n1,2\n");
  write_file(folder / "snappy",
             "\xff\x06\x00\x00\x73\x4e\x61\x50\x70\x59\x01\x0c\x00\x00\x13\x7e\x0d\xb2\x61\x2c\x62"
             "\x0a\x31\x2c\x32\x0a"sv);
  EXPECT_EQ(all_of(folder / "snappy").value(), "a,b\n1,2\n");
}

TEST(TextInput, TextThatBeginsAsZlibDoesIsText) {
  const Folder folder;
  for (const std::string_view text : {"80,1\n"sv, "x^,1\n"sv, "HGZ,1\n"sv, "P*M,1\n"sv, ""sv}) {
    write_file(folder / "t.csv.gz", text);
    EXPECT_EQ(all_of(folder / "t.csv.gz").value(), text);
  }
}

TEST(TextInput, DamageOfACompressedFileIsAnErrorThatNamesIt) {
  const Folder folder;
  const std::string text = lines(100'000);
  for (const stream::Format format :
       {stream::Format::gzip, stream::Format::zstd, stream::Format::lz4}) {
    const std::string whole = compressed(text, format);
    write_file(folder / "cut", std::string_view(whole).substr(0, whole.size() - 6));
    EXPECT_NE(error_of(folder / "cut").find("cut'"), std::string::npos) << error_of(folder / "cut");
    std::string changed = whole;
    changed[whole.size() / 2] ^= 0x10;
    write_file(folder / "changed", changed);
    EXPECT_NE(error_of(folder / "changed").find("changed'"), std::string::npos) << name_of(format);
  }
}

TEST(TextInput, WhatFollowsTheLastGzipMemberIsAnErrorUnlessItIsPadding) {
  const Folder folder;
  const std::string whole = compressed("a\n1\n", stream::Format::gzip);
  write_file(folder / "garbage", whole + "garbage");
  EXPECT_NE(error_of(folder / "garbage").find("7 bytes after the last gzip member"),
            std::string::npos);
  write_file(folder / "padded", whole + std::string(512, '\0'));
  EXPECT_EQ(all_of(folder / "padded").value(), "a\n1\n");
}

TEST(TextInput, AFileOfBgzipThatMayBeCutIsAnError) {
  const Folder folder;
  const std::string text = lines(50'000);
  const auto bytes = stream::compress(std::as_bytes(std::span(text)),
                                      {.format = stream::Format::gzip, .block_bytes = 60'000});
  ASSERT_TRUE(bytes.ok());
  const std::string whole(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  write_file(folder / "whole", whole);
  EXPECT_EQ(all_of(folder / "whole").value(), text);
  constexpr std::size_t end_block_bytes = 28;
  write_file(folder / "cut", std::string_view(whole).substr(0, whole.size() - end_block_bytes));
  EXPECT_NE(error_of(folder / "cut").find("end-of-file block is absent"), std::string::npos)
      << error_of(folder / "cut");
}

TEST(TextInput, AReaderThatIsDroppedEarlyEndsTheDecoding) {
  const Folder folder;
  write_file(folder / "t", compressed(std::string(32 << 20, 'x'), stream::Format::zstd));
  for (int round = 0; round < 12; round++) {
    const auto input = open_text(folder / "t");
    ASSERT_TRUE(input.ok());
    std::string block(1 << round, '\0');
    EXPECT_EQ((*input)->read(block).value(), block.size());
  }
}

TEST(TextInput, TheStartOfATextNeedsNoWholeFile) {
  const Folder folder;
  const std::string text = lines(500'000), whole = compressed(text, stream::Format::zstd);
  write_file(folder / "t", std::string_view(whole).substr(0, whole.size() - 6));
  EXPECT_EQ(text_start(folder / "t", 10'000).value(), text.substr(0, 10'000));
  write_file(folder / "short", "a");
  EXPECT_EQ(text_start(folder / "short", 10).value(), "a");
}

TEST(TextInput, WhatCannotBeReadIsNamed) {
  const Folder folder;
  std::filesystem::create_directory(folder / "d");
  EXPECT_NE(error_of(folder / "d").find("d': it is a directory"), std::string::npos);
  EXPECT_NE(error_of(folder / "missing").find("missing': No such file"), std::string::npos);
  EXPECT_NE(error_of("/proc/self/mem").find("mem': "), std::string::npos);
  EXPECT_EQ(open_text("/dev/fd/987654").status().code(), Code::io);
}

TEST(TextInput, AFileThatIsShortenedMeanwhileIsAnError) {
  const Folder folder;
  write_file(folder / "t", lines(1000));
  const auto input = open_text(folder / "t");
  ASSERT_TRUE(input.ok());
  std::string block(100, '\0');
  ASSERT_TRUE((*input)->read(block).ok());
  std::filesystem::resize_file(folder / "t", 150);
  const auto rest = (*input)->read(block);
  ASSERT_FALSE(rest.ok());
  EXPECT_NE(rest.status().text().find("t' became shorter"), std::string::npos);
}

TEST(TextInput, AFifoIsReadOnceAndByManyReaders) {
  const Folder folder;
  const std::string text = lines(1'000'000);  // more than is kept in memory
  ASSERT_GT(text.size(), 10u << 20);
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  std::thread writer([&] { write_file(folder / "fifo", text); });
  EXPECT_EQ(text_start(folder / "fifo", 20).value(), text.substr(0, 20));
  std::atomic<int> equal = 0;
  std::vector<std::thread> readers;
  for (const std::size_t block_bytes : {1000u, 1u << 16, 3u << 20})
    readers.emplace_back([&, block_bytes] {
      const auto all = all_of(folder / "fifo", block_bytes);
      equal += all.ok() && all.value() == text;
    });
  for (std::thread& reader : readers) reader.join();
  writer.join();
  EXPECT_EQ(equal, 3);
}

TEST(TextInput, APipeOnStandardInputMayBeCompressedAndReadTwice) {
  const std::string text = lines(300'000);
  const PipeWriter pipe(compressed(text, stream::Format::gzip));
  const StandardInput input(pipe.descriptor());
  EXPECT_EQ(all_of("-").value(), text);
  EXPECT_EQ(all_of("/dev/stdin", 777).value(), text);
  EXPECT_EQ(all_of("/dev/fd/0").value(), text);
}

TEST(TextInput, ARedirectedFileIsReadFromWhereItStands) {
  const Folder folder;
  write_file(folder / "t", "title\na\n1\n");
  const int file = ::open((folder / "t").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::lseek(file, 6, SEEK_SET), 6);
  {
    const StandardInput input(file);
    EXPECT_EQ(all_of("-").value(), "a\n1\n");
    EXPECT_EQ(all_of("/dev/stdin").value(), "a\n1\n");
  }
  ::close(file);
}

TEST(TextInput, ARedirectedCompressedFileIsDecodedFromWhereItStands) {
  const Folder folder;
  const std::string text = lines(300'000), first = compressed("title\n", stream::Format::gzip);
  write_file(folder / "t", first + compressed(text, stream::Format::gzip));
  const int file = ::open((folder / "t").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GT(::lseek(file, static_cast<off_t>(first.size()), SEEK_SET), 0);
  {
    const StandardInput input(file);
    EXPECT_EQ(all_of("-").value(), text);
  }
  ::close(file);
}

TEST(TextInput, APipeThatCannotBeKeptIsAnErrorForEveryReader) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit small{1 << 20, limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  {
    const PipeWriter pipe(lines(1'000'000));
    const StandardInput input(pipe.descriptor());
    for (int reader = 0; reader < 2; reader++)
      EXPECT_NE(error_of("-").find("cannot keep standard input in a temporary file of '"),
                std::string::npos);
    EXPECT_EQ(text_start("-", 4).value(), "0,0\n");
  }
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

}  // namespace
}  // namespace penstock::io
