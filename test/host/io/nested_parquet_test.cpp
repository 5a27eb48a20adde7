// Lists in Parquet as files had them before there was a rule: repeated values without a group, and
// groups of two levels.
#include <gtest/gtest.h>

#include <arrow/io/file.h>
#include <parquet/column_writer.h>
#include <parquet/file_writer.h>

#include "host/io/io_files.hpp"
#include "penstock/expression.hpp"

namespace penstock {
namespace {

using namespace test;
using parquet::Repetition;
using parquet::schema::GroupNode;
using parquet::schema::NodePtr;
using parquet::schema::PrimitiveNode;

// A row group of a file, column by column.
class OldFile {
 public:
  OldFile(const std::string& path, parquet::schema::NodeVector fields)
      : file_(*arrow::io::FileOutputStream::Open(path)),
        writer_(parquet::ParquetFileWriter::Open(
            file_, std::static_pointer_cast<GroupNode>(
                       GroupNode::Make("schema", Repetition::REQUIRED, std::move(fields))))),
        rows_(writer_->AppendRowGroup()) {}
  ~OldFile() {
    writer_->Close();
    static_cast<void>(file_->Close());
  }
  template <class Writer, class Value>
  void column(const std::vector<Value>& values, const std::vector<std::int16_t>& definitions = {},
              const std::vector<std::int16_t>& repetitions = {}) {
    const std::size_t count = definitions.empty() ? values.size() : definitions.size();
    static_cast<Writer*>(rows_->NextColumn())
        ->WriteBatch(static_cast<std::int64_t>(count),
                     definitions.empty() ? nullptr : definitions.data(),
                     repetitions.empty() ? nullptr : repetitions.data(), values.data());
  }

 private:
  std::shared_ptr<arrow::io::FileOutputStream> file_;
  std::unique_ptr<parquet::ParquetFileWriter> writer_;
  parquet::RowGroupWriter* rows_;
};

std::vector<std::string> texts_of(const std::string& path, std::uint32_t column) {
  const auto source = open_table(path);
  if (!source.ok()) return {source.status().text()};
  const std::uint32_t columns[] = {column};
  const auto stream = (*source)->scan(columns, {});
  if (!stream.ok()) return {stream.status().text()};
  const auto batch = (*stream)->next();
  if (!batch.ok() || !batch.value()) return {batch.status().text()};
  std::vector<std::string> texts;
  for (std::uint64_t row = 0; row < (*batch)->row_count; row++)
    texts.push_back(text_of(scalar_at((*batch)->columns[0], row)));
  return texts;
}

TEST(NestedParquet, RepeatedValuesWithoutAGroupAreLists) {
  const Folder folder;
  {
    OldFile file(folder / "t",
                 {PrimitiveNode::Make("id", Repetition::REQUIRED, parquet::Type::INT32),
                  PrimitiveNode::Make("tags", Repetition::REPEATED, parquet::Type::INT32)});
    file.column<parquet::Int32Writer>(std::vector<std::int32_t>{1, 2, 3});
    file.column<parquet::Int32Writer>(std::vector<std::int32_t>{7, 8, 9}, {1, 1, 0, 1},
                                      {0, 1, 0, 0});
  }
  EXPECT_EQ(texts_of(folder / "t", 1), (std::vector<std::string>{"[7, 8]", "[]", "[9]"}));
}

TEST(NestedParquet, ListsOfTwoLevelsAreRead) {
  const Folder folder;
  {
    const NodePtr element =
        PrimitiveNode::Make("element", Repetition::REPEATED, parquet::Type::INT64);
    OldFile file(folder / "t", {GroupNode::Make("l", Repetition::OPTIONAL, {element},
                                                parquet::ConvertedType::LIST)});
    file.column<parquet::Int64Writer>(std::vector<std::int64_t>{5, 6}, {2, 2, 1, 0}, {0, 1, 0, 0});
  }
  EXPECT_EQ(texts_of(folder / "t", 0), (std::vector<std::string>{"[5, 6]", "[]", "NULL"}));
}

TEST(NestedParquet, RepeatedGroupsAreListsOfStructs) {
  const Folder folder;
  {
    const NodePtr p = PrimitiveNode::Make("p", Repetition::REQUIRED, parquet::Type::INT32);
    const NodePtr q = PrimitiveNode::Make("q", Repetition::OPTIONAL, parquet::Type::DOUBLE);
    OldFile file(folder / "t", {GroupNode::Make("g", Repetition::REPEATED, {p, q})});
    file.column<parquet::Int32Writer>(std::vector<std::int32_t>{1, 2}, {1, 1, 0}, {0, 1, 0});
    file.column<parquet::DoubleWriter>(std::vector<double>{0.5}, {2, 1, 0}, {0, 1, 0});
  }
  EXPECT_EQ(texts_of(folder / "t", 0),
            (std::vector<std::string>{"[{'p': 1, 'q': 0.5}, {'p': 2, 'q': NULL}]", "[]"}));
}

}  // namespace
}  // namespace penstock
