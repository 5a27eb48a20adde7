// JSON as tables: layouts of files, types, and options. The answers are DuckDB's.
#include <gtest/gtest.h>

#include "host/io/json_files.hpp"
#include "penstock/stream.hpp"

namespace penstock {
namespace {

using test::json_table;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Json, EveryLayoutOfAFileIsFound) {
  const std::string rows = "a BIGINT: 1 | 2";
  EXPECT_EQ(json_table("{\"a\":1}\n{\"a\":2}\n"), rows);
  EXPECT_EQ(json_table("{\"a\":1}\r\n\r\n {\"a\":2}"), rows);
  EXPECT_EQ(json_table("[{\"a\":1},{\"a\":2}]\n"), rows);
  EXPECT_EQ(json_table(" [\n{\"a\":1}\n,\n{\"a\":2} ]"), rows);
  EXPECT_EQ(json_table("{\"a\":1}{\"a\":2}"), rows);
  EXPECT_EQ(json_table("{\"a\":\n1}\n{\"a\":2}"), rows);
  EXPECT_EQ(json_table("\xef\xbb\xbf{\"a\":1}\n{\"a\":2}\n"), rows);
  EXPECT_EQ(json_table("{\"a\":1,}\n{\"a\":2}\n"), rows);
}

TEST(Json, ValuesThatAreNoObjectsAreOneColumn) {
  EXPECT_EQ(json_table("1\n2\n"), "json BIGINT: 1 | 2");
  EXPECT_EQ(json_table("[\"a\",null]"), "json VARCHAR: \"a\" | NULL");
  EXPECT_EQ(json_table("[1,2]\n[3]\n"), "json BIGINT[]: [1, 2] | [3]");
  EXPECT_EQ(json_table("{\"a\":1}\n5\n"), "json VARCHAR: \"{\"a\":1}\" | \"5\"");
  EXPECT_EQ(json_table("{}"), "json MAP(VARCHAR, VARCHAR): {}");
  EXPECT_EQ(json_table("  \n"), "json VARCHAR:");
}

TEST(Json, TypesAreThoseOfTheValues) {
  EXPECT_EQ(json_table("{\"i\":-7,\"d\":1.5,\"b\":true,\"s\":\"x\",\"n\":null}"),
            "i BIGINT, d DOUBLE, b BOOLEAN, s VARCHAR, n VARCHAR: -7 1.500000 true \"x\" NULL");
  EXPECT_EQ(json_table("{\"a\":1}\n{\"a\":2.5}\n{}\nnull\n"),
            "a DOUBLE: 1.000000 | 2.500000 | NULL | NULL");
  EXPECT_EQ(json_table("{\"a\":-0}\n{\"a\":9223372036854775807}"),
            "a BIGINT: 0 | 9223372036854775807");
  EXPECT_EQ(json_table("{\"a\":-0}\n{\"a\":-0.0}"), "a DOUBLE: 0.000000 | -0.000000");
  EXPECT_EQ(json_table("{\"a\":18446744073709551615}"), "a HUGEINT: 18446744073709551615");
  EXPECT_EQ(json_table("{\"a\":18446744073709551616}"), "a DOUBLE: 18446744073709551616.000000");
  EXPECT_EQ(json_table("{\"a\":1e400}\n{\"a\":-Infinity}\n{\"a\":nan}\n{\"a\":1e-9999999}"),
            "a DOUBLE: inf | -inf | nan | 0.000000");
}

TEST(Json, StringsMayBeDatesOfOneFormat) {
  EXPECT_EQ(json_table("{\"a\":\"1970-01-02\"}\n{\"a\":\"1970-1-3\"}"), "a DATE: 1 | 2");
  EXPECT_EQ(json_table("{\"a\":\"01-02-1970\"}"), "a DATE: 31");
  EXPECT_EQ(json_table("{\"a\":\"01-02-1970\"}\n{\"a\":\"01-13-1970\"}"), "a DATE: 1 | 12");
  EXPECT_EQ(json_table("{\"a\":\"1970-01-02\"}\n{\"a\":\"01-02-1970\"}"),
            "a VARCHAR: \"1970-01-02\" | \"01-02-1970\"");
  EXPECT_EQ(json_table("{\"a\":\"1970/01/02\"}"), "a VARCHAR: \"1970/01/02\"");
  EXPECT_EQ(json_table("{\"a\":\"1970-01-01 00:00:01\"}"), "a TIMESTAMP: 1000000");
  EXPECT_EQ(json_table("{\"a\":\"1970-01-01T00:00:01\"}"), "a TIMESTAMP: 1000000");
  EXPECT_EQ(json_table("{\"a\":\"1970-01-01 00:00:01.5\"}"), "a TIMESTAMP: 1500000");
  EXPECT_EQ(json_table("{\"a\":\"1970-01-01\"}\n{\"a\":\"\"}"), "a VARCHAR: \"1970-01-01\" | \"\"");
}

TEST(Json, TypesThatAreNotReadAreNamed) {
  EXPECT_EQ(json_table("{\"a\":1,\"b\":[null],\"c\":{\"d e\":[18446744073709551615]}}"),
            "a BIGINT, b (\"NULL\"[]), c STRUCT(\"d e\" HUGEINT[]): 1 {'d e': "
            "[18446744073709551615]}");
}

TEST(Json, TypesBelowTheMaximumDepthAreJsonTexts) {
  const std::string_view text = "{\"a\":[1],\"b\":{\"c\":{\"d\":1}},\"e\":5,\"s\":\"x\"}";
  const auto table = [&](std::int64_t depth) {
    return json_table(text, {{"maximum_depth", depth}});
  };
  EXPECT_EQ(table(0), "json VARCHAR: \"" + std::string(text) + "\"");
  EXPECT_EQ(table(1),
            "a VARCHAR, b VARCHAR, e VARCHAR, s VARCHAR: \"[1]\" \"{\"c\":{\"d\":1}}\" \"5\" "
            "\"\"x\"\"");
  EXPECT_EQ(
      table(2),
      "a VARCHAR[], b STRUCT(c VARCHAR), e BIGINT, s VARCHAR: [1] {'c': '{\"d\":1}'} 5 \"x\"");
  EXPECT_EQ(table(3),
            "a BIGINT[], b STRUCT(c STRUCT(d VARCHAR)), e BIGINT, s VARCHAR: [1] {'c': {'d': 1}} 5 "
            "\"x\"");
  EXPECT_EQ(
      table(-1),
      "a BIGINT[], b STRUCT(c STRUCT(d BIGINT)), e BIGINT, s VARCHAR: [1] {'c': {'d': 1}} 5 \"x\"");
  EXPECT_EQ(json_table("1\n2\n", {{"maximum_depth", std::int64_t{1}}}), "json BIGINT: 1 | 2");
}

TEST(Json, TheOptionOfCompressionIsNotBelievedBeforeTheContent) {
  for (const char* name : {"auto", "none", "GZIP", "zstd"})
    EXPECT_EQ(json_table("{\"a\":1}", {{"compression", std::string(name)}}), "a BIGINT: 1");
  EXPECT_TRUE(contains(json_table("{}", {{"compression", std::string("brotli")}}), "unsupported"));
}

TEST(Json, ValuesOfSeveralKindsAreJsonTexts) {
  EXPECT_EQ(json_table("{\"a\":\"x\\u0041\"}\n{\"a\":1.50}\n{\"a\":{ \"k\" : [1e20, -0, 1e21, "
                       "1E-7] , \"l\" : \"\\u0001\\/\"}}\n{\"a\":true}"),
            "a VARCHAR: \"\"xA\"\" | \"1.5\" | "
            "\"{\"k\":[100000000000000000000.0,0,1e21,1e-7],\"l\":\"\\u0001/\"}\" | \"true\"");
}

TEST(Json, NamesThatDifferInCaseAreToldApart) {
  EXPECT_EQ(json_table("{\"a\":1,\"A\":2,\" b \":3}"), "a BIGINT, A_1 BIGINT,  b  BIGINT: 1 2 3");
  EXPECT_EQ(json_table("{\"\\u0061\":1}\n{\"a\":2}"), "a BIGINT: 1 | 2");
}

TEST(Json, EscapesAreCharacters) {
  EXPECT_EQ(json_table("{\"a\":\"\\ud83d\\ude00\\\"\\\\\\/\\n\\u00e9\"}"),
            "a VARCHAR: \"\xf0\x9f\x98\x80\"\\/\n\xc3\xa9\"");
  for (const char* text : {"\\ud83d", "\\ude00", "\\x", "\\u12", "\t"})
    EXPECT_TRUE(contains(json_table("{\"a\":\"" + std::string(text) + "\"}"), "malformed JSON"));
}

TEST(Json, WhatIsNoJsonIsAnErrorWithItsPlace) {
  const auto says = [](std::string_view text, const std::string& part) {
    EXPECT_TRUE(contains(json_table(text), part)) << text << ": " << json_table(text);
  };
  says("{\"a\":1}\n{\"a\":01}\n", "line 2, byte 6: a number with a leading zero");
  says("{\"a\":1}\n{\"a\":2} {\"a\":3}\n", "line 2, byte 9: unexpected content after the value");
  says("[{\"a\":1},{\"a\":x}]", "record 2, byte 6: unexpected character");
  says("[{\"a\":1},{\"a\":2}", "no closing ] after record 2");
  says("[{\"a\":1},{\"a\":", "record 2, byte 6: unexpected end");
  says("[{\"a\":1},]", "unexpected ']' after record 1");
  says("[{\"a\":1}] x", "malformed JSON");
  says("{\"a\":\"\xff\"}", "not UTF-8");
  says("{\"a\":1 /*c*/}", "unexpected character");
  says("{\"a\":" + std::string(200, '[') + std::string(200, ']') + "}", "deeper than 128 levels");
}

TEST(Json, WhatTheSampleDoesNotShowIsAnErrorThatSaysWhatToPass) {
  const std::vector<TableOption> one = {{"sample_size", std::int64_t{1}}};
  const auto says = [&](const char* text, const std::string& part) {
    EXPECT_TRUE(contains(json_table(text, one), part)) << json_table(text, one);
  };
  says("{\"a\":1}\n{\"a\":\"x\"}", "line 2 is \"x\", and the column 'a' is BIGINT");
  says("{\"a\":1}\n{\"a\":2.5}", "sample_size = -1");
  says("{\"a\":1}\n{\"b\":2}", "line 2 is a key that no record of the sample has: 'b'");
  says("{\"a\":1}\n{\"a\":1,\"a\":2}", "the key 'a' occurs twice");
  says("{\"a\":1}\n[1]", "line 2 is no object");
  says("{\"a\":null}\n{\"a\":1}", "of no known type");
  EXPECT_EQ(json_table("{\"a\":1}\n{\"a\":\"x\"}", {{"sample_size", std::int64_t{-1}}}),
            "a VARCHAR: \"1\" | \"\"x\"\"");
}

TEST(Json, ErrorsAreIgnoredOnDemand) {
  EXPECT_EQ(json_table("{\"a\":1}\n{\"a\":\"x\"}\n{\"b\":2}\n{\"a\":1,}x\n5\n{\"a\":7,\"a\":8}\n",
                       {{"sample_size", std::int64_t{1}}, {"ignore_errors", true}}),
            "a BIGINT: 1 | NULL | NULL | NULL | NULL | 7");
}

TEST(Json, ColumnsAndTheirTypesMayBeGiven) {
  const OptionMap columns = {
      {"a", "INTEGER"}, {"b", "VARCHAR"}, {"c", "DECIMAL(5, 2)"}, {"d", "DATE"}};
  EXPECT_EQ(json_table("{\"a\":\"7\",\"x\":1,\"b\":[1, 2.50],\"c\":1.5,\"d\":\"1970/01/02\"}\n{}",
                       {{"columns", columns}}),
            "a INTEGER, b VARCHAR, c DECIMAL(5,2), d DATE: 7 \"[1,2.5]\" 150 1 | NULL NULL NULL "
            "NULL");
  EXPECT_TRUE(contains(json_table("{\"a\":3000000000}", {{"columns", columns}}),
                       "3000000000, and the column 'a' is INTEGER"));
  EXPECT_TRUE(contains(json_table("{\"c\":1.555}", {{"columns", columns}}), "DECIMAL(5,2)"));
}

TEST(Json, FormatsOfDatesMayBeGiven) {
  EXPECT_EQ(json_table("{\"a\":\"02/01/1970\",\"b\":\"1970-01-02\"}",
                       {{"dateformat", std::string("%d/%m/%Y")}}),
            "a DATE, b VARCHAR: 1 \"1970-01-02\"");
}

TEST(Json, AnUnknownOptionListsWhatThereIs) {
  EXPECT_TRUE(contains(json_table("{}", {{"colums", true}}), "did you mean 'columns'?"));
  EXPECT_TRUE(contains(json_table("{}", {{"format", std::string("x")}}), "newline_delimited"));
  EXPECT_TRUE(contains(json_table("{\"a\":1}\n", {{"format", std::string("array")}}),
                       "format = 'array' wants a ["));
  EXPECT_TRUE(contains(json_table("1\n2\n", {{"records", true}}), "no records"));
}

TEST(Json, ManyBlocksAreReadInOrderAndBounded) {
  std::string lines, array = "[";
  for (int i = 0; i < 150'000; i++) {
    const std::string record = "{\"i\":" + std::to_string(i) + ",\"s\":\"" +
                               std::string(static_cast<std::size_t>(i % 20), 'x') + "]}\\\"\"}";
    lines += record + "\n";
    array += (i == 0 ? "" : ",\n") + record;
  }
  const test::Folder folder;
  test::write_file(folder / "lines", lines);
  test::write_file(folder / "array", array + "]");
  for (const char* name : {"lines", "array"}) {
    const auto source = io::open_json(folder / name, {});
    ASSERT_TRUE(source.ok()) << source.status().text();
    const auto cells = test::read_cells(**source, test::all_columns(**source), {1 << 14, 3});
    ASSERT_TRUE(cells.ok()) << cells.status().text();
    ASSERT_EQ(cells.value()[0].size(), 150'000u);
    for (std::size_t i = 0; i < 150'000; i += 997) {
      EXPECT_EQ(cells.value()[0][i], std::to_string(i));
      EXPECT_EQ(cells.value()[1][i], '"' + std::string(i % 20, 'x') + "]}\"\"");
    }
  }
}

TEST(Json, ARecordThatIsTooLongIsAnErrorThatSaysWhatToPass) {
  const std::string record = "{\"a\":\"" + std::string(3 << 20, 'x') + "\"}";
  const std::vector<TableOption> small = {{"maximum_object_size", std::int64_t{1 << 20}}};
  for (const std::string& text : {record, "[" + record + "]", "{\"a\":\"\"}\n" + record})
    EXPECT_TRUE(contains(json_table(text, small), "maximum_object_size"));
  EXPECT_TRUE(contains(json_table(record), "a VARCHAR"));
}

TEST(Json, CompressedFilesAreReadToo) {
  const std::string text = "{\"a\":1}\n{\"a\":2}\n";
  const auto gzip =
      stream::compress(std::as_bytes(std::span(text)), {.format = stream::Format::gzip});
  ASSERT_TRUE(gzip.ok());
  EXPECT_EQ(json_table({reinterpret_cast<const char*>(gzip->data()), gzip->size()}),
            "a BIGINT: 1 | 2");
}

TEST(Json, PartsThatAreLackingAreNull) {
  EXPECT_EQ(json_table("{\"s\":{\"a\":1,\"b\":[1,null]}}\n{\"s\":{\"b\":[]}}\n{\"s\":null}\n{}"),
            "s STRUCT(a BIGINT, b BIGINT[]): {'a': 1, 'b': [1, NULL]} | {'a': NULL, 'b': []} | "
            "NULL | NULL");
}

TEST(Json, APartThatDoesNotFitIsAnErrorOrMakesTheValueNull) {
  std::string text = "{\"l\":[1,2],\"s\":{\"a\":1}}\n";
  for (int i = 0; i < 3; i++) text += text;
  const std::string wrong = "{\"l\":[3,\"x\",4],\"s\":{\"a\":1,\"a\":2}}\n{\"l\":[5]}\n";
  const TableOption sample{"sample_size", std::int64_t{2}}, ignores{"ignore_errors", true};
  EXPECT_TRUE(contains(json_table(text + wrong, {sample}), "the column 'l' is BIGINT[]"));
  EXPECT_TRUE(contains(json_table(text + wrong, {sample, ignores}), "| NULL NULL | [5] NULL"));
}

TEST(Json, ManyMembersOfOneTypeAreAMap) {
  std::string wide = "{\"k0\":0", sparse;
  for (int i = 1; i < 200; i++) wide += ",\"k" + std::to_string(i) + "\":" + std::to_string(i);
  for (int i = 0; i < 100; i++) sparse += "{\"k" + std::to_string(i) + "\":1}\n";
  EXPECT_TRUE(contains(json_table(wide + "}"), "json MAP(VARCHAR, BIGINT): {k0=0, k1=1, "));
  EXPECT_TRUE(contains(json_table(wide + ",\"t\":\"x\"}"), "k0 BIGINT, k1 BIGINT"));
  EXPECT_TRUE(contains(json_table(sparse), "json MAP(VARCHAR, BIGINT): {k0=1} | {k1=1} | "));
}

}  // namespace
}  // namespace penstock
