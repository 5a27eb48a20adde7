// Digests, formats and dates read by formats: published values, and texts that are not of the form.
#include <gtest/gtest.h>

#include "expr/date_parse.hpp"
#include "expr/digests.hpp"
#include "expr/string_functions.hpp"
#include "expr/value_format.hpp"

namespace penstock::expr {
namespace {

TEST(Digests, TheStandardsOwnExamplesHold) {
  EXPECT_EQ(md5(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(md5("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
  EXPECT_EQ(sha1("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Digests, TextsAroundAWholeBlockHaveTheirLength) {
  EXPECT_EQ(md5(std::string(55, 'a')), "ef1772b6dff9a122358552954ad0df65");
  EXPECT_EQ(md5(std::string(56, 'a')), "3b0c8ac703f828b04c6c197006d17218");
  EXPECT_EQ(md5(std::string(64, 'a')), "014842d480b571495a4a0363793f7367");
}

TEST(DateParse, AFormatReadsWhatItNames) {
  EXPECT_EQ(parse_date("1970-01-02", "%Y-%m-%d"), 86'400'000'000);
  EXPECT_EQ(parse_date("2.1.70 01:00 PM", "%d.%m.%y %I:%M %p"), 86'400'000'000 + 46'800'000'000);
  EXPECT_EQ(parse_date("Jan 1 1970 00:00:00.5", "%b %d %Y %H:%M:%S.%f"), 500'000);
}

TEST(DateParse, TextsThatAreNoDatesAreNone) {
  for (const char* const text : {"2023-02-29", "2023-13-01", "2023-01-00", "2023-01", "2023-01-01x",
                                 "", "x2023-01-01", "-", "99999-01-01"})
    EXPECT_FALSE(parse_date(text, "%Y-%m-%d")) << text;
  EXPECT_FALSE(parse_date("366 2023", "%j %Y"));
  EXPECT_FALSE(parse_date("1", "%"));
  EXPECT_FALSE(check_parse_format("%Q").ok());
  EXPECT_FALSE(check_parse_format("%").ok());
}

TEST(ValueFormat, WidthsAndDigitsOfAFormatAreBounded) {
  EXPECT_FALSE(check_value_format("999999999d").ok());
  EXPECT_FALSE(check_value_format(".999999999f").ok());
  EXPECT_FALSE(parts_of_format("{").ok());
  EXPECT_FALSE(parts_of_format("}").ok());
  EXPECT_FALSE(parts_of_printf("%").ok());
  EXPECT_FALSE(parts_of_printf("%q").ok());
}

TEST(ValueFormat, TheLeastNumberHasDigits) {
  EXPECT_EQ(written_integer(INT64_MIN, read_value_format(",")), "-9,223,372,036,854,775,808");
  EXPECT_EQ(written_integer(-7, read_value_format("05d")), "-0007");
  EXPECT_EQ(written_real(-0.0, read_value_format(".1f")), "-0.0");
}

TEST(StringFunctions, EveryFunctionTakesInputsThatHaveNoValue) {
  for (const StringFunction& row : string_functions()) {
    if (row.fits == nullptr) continue;
    std::vector<Scalar> inputs;
    for (const Type type : row.inputs)
      inputs.push_back(type.kind == Kind::string ? Scalar::of(std::string())
                       : is_float(type)          ? Scalar::of(type, 1e300)
                                                 : Scalar::of(type, Int128{INT32_MIN}));
    static_cast<void>(row.fits(inputs));
    EXPECT_FALSE(row.host(inputs).is_null) << row.name;
  }
}

}  // namespace
}  // namespace penstock::expr
