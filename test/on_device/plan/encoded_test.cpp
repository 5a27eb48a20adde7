// Queries over columns that stay FSST codes: their answers are those over the texts, and texts that
// nobody asks for are not decoded.
#include <atomic>

#include "codec/fsst/format/encoded_column.hpp"
#include "column/rebatch.hpp"
#include "exec/collect/run_tiles.hpp"
#include "fsst_strings.hpp"
#include "on_device/device/forwarding_device.hpp"
#include "on_device/plan/plan_fixture.hpp"
#include "penstock/sql.hpp"
#include "testdata/generate_text.hpp"

namespace penstock::test {
namespace {

constexpr std::uint64_t text_row_count = 3000;

// NULLs, empty texts, few texts (`few`) and many (`url`).
Table texts_table() {
  const Column made = codec::generate_urls(text_row_count, 7);
  std::vector<std::optional<std::string>> urls, few;
  std::vector<std::int32_t> numbers;
  const std::vector<std::string> words = {
      "", "a", "ab%c", "über", "日本語", "google", "www.google.com/search?q=1", "zz"};
  for (std::uint64_t row = 0; row < text_row_count; row++) {
    urls.push_back(row % 11 == 5 ? std::nullopt
                                 : std::optional<std::string>(
                                       row % 13 == 0 ? "" : std::string(made.string(row))));
    few.push_back(row % 7 == 3 ? std::nullopt
                               : std::optional<std::string>(words[row * 7919 % words.size()]));
    numbers.push_back(static_cast<std::int32_t>(row % 100));
  }
  return Table::of({{"id", Column::from(numbers)},
                    {"url", Column::from_strings(urls)},
                    {"few", Column::from_strings(few)}});
}

Table with_encoded(Table table, const fsst::StringCheck& check = {}) {
  for (Column& column : table.columns)
    if (column.type.kind == Kind::string) column = fsst::encoded_strings(column, 700, check);
  return table;
}

// As a file of several record batches, each with tables of its own, is read.
class InBatches : public TableSource {
 public:
  InBatches(const Table& plain, std::uint64_t batch_rows) {
    for (std::uint64_t first = 0; first < plain.row_count; first += batch_rows) {
      Table part{plain.names, {}, std::min(batch_rows, plain.row_count - first)};
      for (const Column& column : plain.columns)
        part.columns.push_back(column.slice(first, part.row_count));
      parts_.push_back(table_source(with_encoded(part)));
    }
    schema_ = parts_[0]->schema();
    row_count_ = plain.row_count;
  }
  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override { return row_count_; }
  std::string describe() const override { return "batches"; }
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t> columns,
                                            const ScanOptions& options) const override {
    ScanOptions whole = options;
    whole.batch_rows = 1 << 20;
    auto at = std::make_shared<std::size_t>(0);
    return column::rebatch(
        [this, whole, at, wanted = std::vector<std::uint32_t>(columns.begin(), columns.end())]()
            -> Result<std::optional<Table>> {
          if (*at == parts_.size()) return std::optional<Table>();
          PENSTOCK_ASSIGN(const auto stream, parts_[(*at)++]->scan(wanted, whole));
          return stream->next();
        },
        options.batch_rows);
  }

 private:
  std::vector<std::shared_ptr<TableSource>> parts_;
  Schema schema_;
  std::uint64_t row_count_ = 0;
};

Result<QueryResult> answer(const std::string& statement, const std::shared_ptr<TableSource>& source,
                           const RunOptions& options) {
  Plan plan;
  PENSTOCK_ASSIGN(const StepId result,
                  bind_sql(statement, plan, [&](const TableReference&) { return Result(source); }));
  return run(plan, result, options);
}

std::string rows_of(const Table& table) {
  std::string text;
  for (std::uint64_t row = 0; row < table.row_count; row++) text += text_of_row(table, row) + "\n";
  return text;
}

const std::vector<std::string>& statements() {
  static const std::vector<std::string> all = {
      "SELECT count(*) FROM 't' WHERE url LIKE '%google%'",
      "SELECT count(*) FROM 't' WHERE few NOT LIKE 'a%'",
      "SELECT count(*) FROM 't' WHERE few LIKE '_'",
      "SELECT count(*), sum(id) FROM 't' WHERE few LIKE 'ab!%%' ESCAPE '!'",
      "SELECT count(*), sum(id) FROM 't' WHERE few LIKE ''",
      "SELECT count(*), sum(id) FROM 't' WHERE few = ''",
      "SELECT count(*), sum(id) FROM 't' WHERE 'google' = few AND id > 20",
      "SELECT count(*), sum(id) FROM 't' WHERE few <> 'zz'",
      "SELECT count(*), sum(id) FROM 't' WHERE few IN ('a', 'nowhere', '日本語', 'a')",
      "SELECT count(*), sum(id) FROM 't' WHERE few NOT IN ('a', 'über') OR id = 3",
      "SELECT count(*), sum(id) FROM 't' WHERE few IN ('a', NULL)",
      "SELECT count(*) FROM 't' WHERE few = 'a' OR few = 'zz' OR id < 4",
      "SELECT count(*) FROM 't' WHERE few IS NULL",
      "SELECT count(few), count(url) FROM 't' WHERE few IS NOT NULL OR id > 50",
      "SELECT count(*) FROM 't' WHERE few < 'g'",
      "SELECT count(*) FROM 't' WHERE lower(few) = 'google' AND few LIKE 'g%'",
      "SELECT count(*) FROM 't' WHERE few = url",
      "SELECT count(*) FROM 't' WHERE starts_with(url, 'http://www.') AND contains(url, '/') AND "
      "NOT ends_with(url, 'html')",
      "SELECT count(*) FROM 't' WHERE contains(few, '%') OR starts_with(few, 'ab%') OR suffix(few, "
      "'語')",
      "SELECT sum(length(few)), sum(strlen(few)), max(length(url)) FROM 't' WHERE id < 90",
      "SELECT length(few) AS l, count(*) FROM 't' GROUP BY l ORDER BY l",
      "SELECT id, url FROM 't' WHERE url LIKE '%ww%' AND id = 7",
      "SELECT id, url, few FROM 't' WHERE few IS NULL AND id < 5",
      "SELECT few, count(*), sum(id) FROM 't' GROUP BY few ORDER BY few",
      "SELECT url, count(*) AS c FROM 't' WHERE few LIKE '%g%' GROUP BY url ORDER BY c DESC, url "
      "LIMIT 20",
      "SELECT few, count(*) AS c FROM 't' GROUP BY few HAVING few LIKE '%o%' ORDER BY few",
      "SELECT DISTINCT few FROM 't' ORDER BY few",
      "SELECT count(DISTINCT url), count(DISTINCT few) FROM 't'",
      "SELECT url FROM 't' ORDER BY url LIMIT 30",
      "SELECT url, id FROM 't' ORDER BY id, url DESC LIMIT 30",
      "SELECT * FROM 't'",
      "SELECT few, row_number() OVER (PARTITION BY few ORDER BY id, url) AS n FROM 't' WHERE url "
      "LIKE '%a%' ORDER BY few, n LIMIT 50",
      "SELECT upper(few) AS u, few LIKE 'a%' AS l FROM 't'",
      "SELECT CASE WHEN few = 'a' THEN few ELSE 'other' END AS c, count(*) FROM 't' GROUP BY c "
      "ORDER BY c",
      "SELECT count(few), count(DISTINCT few), id % 3 AS g FROM 't' GROUP BY g ORDER BY g",
      "SELECT count(*) AS c, count(few) AS f FROM 't' WHERE id IN (1, 2) AND url IS NULL",
      "SELECT a.few, count(*) FROM 't' AS a JOIN 't' AS b ON a.url = b.url WHERE b.few LIKE '%g%' "
      "GROUP BY a.few ORDER BY a.few",
      "SELECT count(*) FROM 't' WHERE url IN (SELECT url FROM 't' WHERE few = 'a')",
      "SELECT few, count(*) FILTER (WHERE url LIKE '%a%') AS f FROM 't' GROUP BY few ORDER BY few",
  };
  return all;
}

void expect_the_texts_answers(const std::shared_ptr<TableSource>& source,
                              std::uint64_t batch_rows) {
  const auto plain = table_source(texts_table());
  on_each_device([&](Device& device) {
    for (const std::string& statement : statements()) {
      SCOPED_TRACE(statement);
      const RunOptions options{.device = device.traits().id, .batch_rows = batch_rows};
      TAKE(const QueryResult expected, answer(statement, plain, options));
      TAKE(const QueryResult found, answer(statement, source, options));
      EXPECT_EQ(rows_of(found.table), rows_of(expected.table));
    }
  });
}

TEST(Encoded, QueriesAnswerAsOverTexts) {
  expect_the_texts_answers(table_source(with_encoded(texts_table())), 0);
}

TEST(Encoded, ChunksOfPartsOfRowGroupsAnswerAsOverTexts) {
  expect_the_texts_answers(table_source(with_encoded(texts_table())), 192);
}

TEST(Encoded, ChunksOfSeveralBatchesAnswerAsOverTexts) {
  expect_the_texts_answers(std::make_shared<InBatches>(texts_table(), 250), 1024);
}

TEST(Encoded, CodesAreUploadedWhereADeviceHasMemoryOfItsOwn) {
  on_each_device([&](Device& device) {
    TAKE(const auto opened, open_device(device.traits().id));
    std::vector<std::string> answers;
    for (const bool is_encoded : {false, true}) {
      Plan plan;
      const auto source = table_source(is_encoded ? with_encoded(texts_table()) : texts_table());
      const StepId rows = plan.source(source);
      Builder b(plan.step(rows).schema);
      const auto text = [&](const char* value) {
        return b.literal(Scalar::of(std::string(value)));
      };
      TAKE(const NodeId like, b.string_function("like", {b.column(1u), text("%.ru/%")}));
      TAKE(const NodeId equal, b.binary(Op::equal, b.column(2u), text("google")));
      TAKE(const NodeId either, b.binary(Op::or_, like, equal));
      TAKE(const NodeId length, b.string_function("length", {b.column(2u)}));
      TAKE(const StepId kept, plan.filter(rows, b.graph(), either));
      TAKE(const StepId groups, plan.group_by(kept, b.graph(), {{"id", b.column(0u)}},
                                              {{Aggregate::count_rows, 0, "c", nullptr},
                                               {Aggregate::sum, length, "l", nullptr}}));
      TAKE(const plan::TileProgram program, plan::fuse(plan, rows, groups));
      const RunOptions options{.batch_rows = 192};  // sixteen chunks in three slots
      plan::StringPool strings;
      RunReport report;
      TAKE(const Table table,
           plan::run_tiles({std::make_shared<OwnMemoryDevice>(opened), &options, &strings, &report},
                           program, *source));
      EXPECT_EQ(report.chunks, 16u);
      answers.push_back(rows_of(table));
    }
    EXPECT_GT(answers[0].size(), 100u);
    EXPECT_EQ(answers[1], answers[0]);
  });
}

TEST(Encoded, ValidationLooksAtTheTexts) {
  const auto source = table_source(with_encoded(texts_table()));
  on_each_device([&](Device& device) {
    for (const char* statement :
         {"SELECT count(*), sum(length(few)) FROM 't' WHERE url LIKE '%a%' AND few <> 'zz'",
          "SELECT url FROM 't' WHERE few IN ('a', 'zz') AND id < 20"}) {
      SCOPED_TRACE(statement);
      EXPECT_OK(answer(statement, source, {.device = device.traits().id, .validate = true}));
    }
  });
}

TEST(Encoded, APredicateDecodesNoText) {
  const auto refuse = [](const Column&) { return Status(Code::internal, "a text was decoded"); };
  const auto source = table_source(with_encoded(texts_table(), refuse));
  on_each_device([&](Device& device) {
    const RunOptions options{.device = device.traits().id, .batch_rows = 640};
    for (const char* statement :
         {"SELECT count(*) FROM 't' WHERE url LIKE '%google%'",
          "SELECT sum(id) FROM 't' WHERE few IN ('a', 'b') OR few <> 'zz' AND NOT starts_with(url, "
          "'x')",
          "SELECT id, count(*), sum(length(url)) FROM 't' WHERE few LIKE '%o_gle' GROUP BY id",
          "SELECT count(url), count(*) FILTER (WHERE few IS NULL) FROM 't'",
          "SELECT id FROM 't' WHERE strlen(url) > 200"}) {
      SCOPED_TRACE(statement);
      EXPECT_OK(answer(statement, source, options));
    }
    EXPECT_FALSE(answer("SELECT count(*) FROM 't' WHERE url > 'a'", source, options).ok())
        << "the test sees decoding";
  });
}

TEST(Encoded, WhatIsComputedOfCodesIsAKernelOfTheReport) {
  const auto source = table_source(with_encoded(texts_table()));
  on_each_device([&](Device& device) {
    const RunOptions options{.device = device.traits().id, .batch_rows = 640, .profile = true};
    TAKE(const QueryResult outcome,
         answer("SELECT count(*) FROM 't' WHERE url LIKE '%a%b' AND strlen(few) > 1", source,
                options));
    const RunReport& report = outcome.report;
    for (const std::string name : {"fsst_match_rows", "fsst_lengths"}) {
      SCOPED_TRACE(name);
      const auto is_it = [&](const auto& one) { return one.name == name; };
      const auto kernel = std::find_if(report.kernels.begin(), report.kernels.end(), is_it);
      ASSERT_NE(kernel, report.kernels.end());
      const auto index = static_cast<int>(kernel - report.kernels.begin());
      EXPECT_EQ(kernel->launches, report.chunks);
      EXPECT_GT(kernel->device_seconds, 0);
      EXPECT_GT(kernel->bytes_moved, text_row_count * 4) << "offsets alone take as much";
      EXPECT_NE(kernel->source->find(name), std::string::npos);
      const auto function =
          std::find_if(report.profile->functions.begin(), report.profile->functions.end(), is_it);
      ASSERT_NE(function, report.profile->functions.end());
      EXPECT_EQ(function->kernel, index)
          << "whose program is launched, and not whose report comes next";
      EXPECT_EQ(function->launches, report.chunks);
    }
    for (const Span& span : report.profile->spans)
      EXPECT_FALSE(span.track == Track::compile && span.kernel < 0) << span.name;
  });
}

TEST(Encoded, CodesAndTablesCountAsUploaded) {
  const auto source = table_source(with_encoded(texts_table()));
  on_each_device([&](Device& device) {
    const RunOptions options{.device = device.traits().id, .batch_rows = 640, .profile = true};
    TAKE(const QueryResult outcome,
         answer("SELECT count(*) FROM 't' WHERE url LIKE '%a%b' OR strlen(url) = 9", source,
                options));
    std::uint64_t uploaded = 0;
    for (const Span& span : outcome.report.profile->spans)
      uploaded += span.track == Track::upload ? span.bytes : 0;
    EXPECT_GT(uploaded, text_row_count * 4) << "the test sees uploads";
    EXPECT_LE(outcome.report.bytes_uploaded, uploaded);
    EXPECT_GE(outcome.report.bytes_uploaded + 1024, uploaded) << "but for the scalars of a chunk";
  });
}

TEST(Encoded, OnlySelectedRowsAndDifferentKeysAreDecoded) {
  std::atomic<std::uint64_t> decoded_rows = 0;
  const auto count = [&](const Column& texts) {
    decoded_rows += texts.row_count;
    return Status();
  };
  const auto source = table_source(with_encoded(texts_table(), count));
  on_each_device([&](Device& device) {
    const RunOptions options{.device = device.traits().id};
    decoded_rows = 0;
    TAKE(const QueryResult chosen, answer("SELECT url FROM 't' WHERE id = 17", source, options));
    EXPECT_EQ(decoded_rows, chosen.table.row_count);
    decoded_rows = 0;
    TAKE(const QueryResult groups,
         answer("SELECT few, count(*) FROM 't' GROUP BY few", source, options));
    EXPECT_EQ(groups.table.row_count, 9u);
    EXPECT_EQ(decoded_rows, 8u * 5) << "eight texts in each of five row groups; NULL has none";
  });
}

TEST(Encoded, BadCodesEndTheQueryWithTheirRow) {
  std::vector<std::string> rows(200, std::string("\0\0\0", 3));
  rows[150] = "\x09";  // no symbol
  fsst::EncodedStrings strings = fsst::strings_of(fsst::table_of({"ab"}), rows, 6 * 199 + 1);
  TAKE(const Column column, fsst::encoded_column(std::move(strings)));
  const auto source = table_source(Table::of({{"s", column}}));
  on_each_device([&](Device& device) {
    for (const char* const statement : {"SELECT count(*) FROM 't' WHERE s LIKE '%x%'",
                                        "SELECT count(*) FROM 't' WHERE length(s) > 2",
                                        "SELECT s FROM 't' WHERE s IN ('a', 'b') IS NOT NULL",
                                        "SELECT s, count(*) FROM 't' GROUP BY s",
                                        "SELECT count(*) FROM 't' WHERE s < 'b' OR s LIKE '_'"}) {
      SCOPED_TRACE(statement);
      const auto outcome =
          answer(statement, source, {.device = device.traits().id, .batch_rows = 64});
      ASSERT_FALSE(outcome.ok());
      EXPECT_EQ(outcome.status().code(), Code::corrupt);
      EXPECT_NE(outcome.status().text().find("row 22, byte 0 of its codes: code 9 has no symbol"),
                std::string::npos)
          << outcome.status().text();
      EXPECT_NE(outcome.status().text().find("counting from row 128"), std::string::npos)
          << outcome.status().text();
      EXPECT_NE(outcome.status().text().find("column 's'"), std::string::npos)
          << outcome.status().text();
    }
  });
}

TEST(Encoded, CodesThatDoNotTellTextsApartAreGroupedByTheirTexts) {
  // "ab" as one symbol, as two escapes, and as a symbol and an escape.
  const std::vector<std::string> rows = {std::string(1, '\0'),
                                         "\xff"
                                         "a\xff"
                                         "b",
                                         "\x01\xff"
                                         "b"};
  fsst::EncodedStrings strings = fsst::strings_of(fsst::table_of({"ab", "a"}), rows, 6);
  TAKE(const Column column, fsst::encoded_column(std::move(strings)));
  const auto source = table_source(Table::of({{"s", column}}));
  on_each_device([&](Device& device) {
    const RunOptions options{.device = device.traits().id};
    TAKE(const QueryResult groups,
         answer("SELECT s, count(*) FROM 't' GROUP BY s", source, options));
    EXPECT_EQ(rows_of(groups.table), "ab|3|\n");
    TAKE(const QueryResult equal,
         answer("SELECT count(*) FROM 't' WHERE s = 'ab'", source, options));
    EXPECT_EQ(rows_of(equal.table), "3|\n");
  });
}

TEST(Encoded, APatternOfTooManyStatesIsTheHosts) {
  std::string pattern;
  for (int i = 0; i < 40; i++)
    pattern += "%a" + std::string(1, static_cast<char>('a' + i % 26)) + "_b";
  const auto plain = table_source(texts_table()),
             source = table_source(with_encoded(texts_table()));
  on_each_device([&](Device& device) {
    const std::string statement =
        "SELECT count(*), count(few) FROM 't' WHERE url NOT LIKE '" + pattern + "%'";
    TAKE(const QueryResult expected, answer(statement, plain, {.device = device.traits().id}));
    TAKE(const QueryResult found, answer(statement, source, {.device = device.traits().id}));
    EXPECT_EQ(rows_of(found.table), rows_of(expected.table));
  });
}

TEST(Encoded, ExplainSaysWhatIsComputedOfCodes) {
  Plan plan;
  const auto source = table_source(with_encoded(texts_table()));
  TAKE(const StepId result,
       bind_sql("SELECT count(*) FROM 't' WHERE url LIKE '%x%' AND few <> 'a' AND lower(few) = 'b'",
                plan, [&](const TableReference&) { return Result(source); }));
  TAKE(const std::string text, explain(plan, result));
  EXPECT_NE(text.find("computed on FSST codes: like(url, '%x%')\n"), std::string::npos) << text;
  EXPECT_NE(text.find("computed on FSST codes: (few = 'a')\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("computed on FSST codes: lower"), std::string::npos) << text;
  EXPECT_NE(text.find("; and the codes of url, few, whose sizes only reading them tells\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace penstock::test
