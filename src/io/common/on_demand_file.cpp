#include "io/common/on_demand_file.hpp"

#include <arrow/buffer.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/file.hpp"

namespace penstock::io {
namespace {

// Its place is one for all: what it does without positions is for one thread.
class OnDemandFile final : public arrow::io::RandomAccessFile {
 public:
  OnDemandFile(std::string path, std::string identity, std::int64_t bytes)
      : path_(std::move(path)), identity_(std::move(identity)), bytes_(bytes) {}

  arrow::Status Close() override {
    is_closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return is_closed_; }
  arrow::Result<std::int64_t> Tell() const override { return at_; }
  arrow::Status Seek(std::int64_t at) override {
    at_ = at;
    return arrow::Status::OK();
  }
  arrow::Result<std::int64_t> GetSize() override { return bytes_; }
  arrow::Result<std::int64_t> Read(std::int64_t bytes, void* out) override {
    ARROW_ASSIGN_OR_RAISE(const std::int64_t read, ReadAt(at_, bytes, out));
    at_ += read;
    return read;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(std::int64_t bytes) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(at_, bytes));
    at_ += buffer->size();
    return buffer;
  }
  arrow::Result<std::int64_t> ReadAt(std::int64_t at, std::int64_t bytes, void* out) override {
    if (at < 0 || bytes < 0) return arrow::Status::Invalid("a place before the file");
    const File file(path_, O_RDONLY);
    if (!file) return arrow::Status::IOError("cannot open '", path_, "': ", std::strerror(errno));
    if (file_identity(path_) != identity_)
      return arrow::Status::IOError("'", path_, "' changed while it was in use");
    const std::size_t read =
        file.read_at(out, static_cast<std::size_t>(bytes), static_cast<std::uint64_t>(at));
    if (read < static_cast<std::size_t>(bytes) && errno != 0)
      return arrow::Status::IOError("cannot read '", path_, "': ", std::strerror(errno));
    return static_cast<std::int64_t>(read);
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(std::int64_t at,
                                                       std::int64_t bytes) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateResizableBuffer(bytes));
    ARROW_ASSIGN_OR_RAISE(const std::int64_t read, ReadAt(at, bytes, buffer->mutable_data()));
    ARROW_RETURN_NOT_OK(buffer->Resize(read));
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  }

 private:
  const std::string path_, identity_;
  const std::int64_t bytes_;
  std::int64_t at_ = 0;
  bool is_closed_ = false;
};

}  // namespace

Result<std::shared_ptr<arrow::io::RandomAccessFile>> open_on_demand(const std::string& path) {
  struct stat status;
  std::string identity = file_identity(path);
  if (identity.empty() || ::stat(path.c_str(), &status) != 0)
    return Status(Code::io, "cannot open '" + path + "'");
  return std::shared_ptr<arrow::io::RandomAccessFile>(
      std::make_shared<OnDemandFile>(path, std::move(identity), status.st_size));
}

}  // namespace penstock::io
