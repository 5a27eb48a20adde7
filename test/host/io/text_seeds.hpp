// Fifty small files of comma-separated values and of JSON, in the forms that readers have code for.
#pragma once
#include <array>
#include <string_view>

namespace penstock::test {

using std::string_view_literals::operator""sv;

inline constexpr std::array csv_seeds = {
    "n,w,d\n1,oak,2024-05-01\n2,elm,2024-05-02\n"sv,
    "n;w\n1,5;oak\n2,5;elm\n"sv,
    "n\tw\n1\toak, elm\n2\tash\n"sv,
    "n|w\r\n1|\"oak|elm\"\r\n2|ash\r\n"sv,
    "\"n\",\"w\"\n\"1\",\"\"\n\"2\",\"say \"\"so\"\"\"\n"sv,
    "n,w\n1,\"say \\\"so\\\"\"\n2,'elm'\n"sv,
    "n,w\n1,'oak, elm'\n2,'it''s'\n"sv,
    "# by hand\n# on Monday\nn;w\n1;3\n6;7\n"sv,
    "Harvest of May\nmade by hand\nn,w,d\n1,2,3\n4,5,6\n"sv,
    "1,2,3\n4,5,6\n7,8,9\n"sv,
    "n,n,n\n1,true,2.5\n0,false,3.5\n"sv,
    "b,t\ntrue,2024-05-01 10:11:12\nfalse,2024-05-02T10:11:12.125\n,\n"sv,
    "d,e,f\n01/05/2024,2024/05/01,31.12.2023\n12/31/2023,2024/1/5,1.1.2024\n"sv,
    "n\n9223372036854775807\n-9223372036854775808\n12345678901234567890\n"sv,
    "x\n1e5\n-1.5E-300\ninf\nnan\n.5\n5.\n"sv,
    "z,p\n00501,+318855\n02134,+44\n"sv,
    "n,w\n1,\"two\nlines\"\n2,\"three\r\nor\nmore\"\n"sv,
    "n,w\r1,oak\r2,elm\r"sv,
    "\xef\xbb\xbfgr\xc3\xb6\xc3\x9f"
    "e,\xe6\x95\xb0\n1,\xf0\x9f\x8c\xb2\n2,e\xcc\x81\n"sv,
    "n,w,\n1,2,\n3,4,\n"sv,
    "n,w\n1,2\n3\n4,5,6\n\n7,8\n"sv,
    "w\noak\n\nelm\n"sv,
    "n,w\n1,\"open\n2,x\n3,\"y\n"sv,
    "n,t\n1,10:11:12\n2,2024-05-01 10:11:12+02:00\n"sv,
    "n,w\n1,\n2,NULL\n,\\N\n"sv,
};

inline constexpr std::array json_seeds = {
    "{\"n\":1,\"w\":\"oak\"}\n{\"n\":2,\"w\":\"elm\"}\n"sv,
    "[{\"n\":1,\"w\":\"oak\"},{\"n\":2,\"w\":\"elm\"}]"sv,
    "[\n  {\n    \"n\": 1,\n    \"w\": null\n  },\n  {\"w\": \"x\"}\n]\n"sv,
    "{\"n\":1}{\"n\":2}{\"n\":3}"sv,
    "{\n \"n\": 1\n}\n{\n \"n\": 2.5\n}\n"sv,
    "{\"n\":1}\r\n{\"n\":-0}\r\n\r\n{\"n\":1e5}\r\n"sv,
    "{\"s\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83c\\udf32\"}\n"sv,
    "{\"s\":\"\\ud83c\"}\n{\"s\":\"\\u0000\"}\n"sv,
    "{\"o\":{\"u\":1,\"v\":{\"w\":[1,2]}}}\n{\"o\":{\"u\":2}}\n"sv,
    "{\"a\":[1,2,3]}\n{\"a\":[]}\n{\"a\":null}\n"sv,
    "{\"a\":[{\"u\":1},{\"u\":2,\"v\":\"x\"}]}\n"sv,
    "{\"n\":18446744073709551615}\n{\"n\":-9223372036854775808}\n"sv,
    "{\"n\":123456789012345678901234567890}\n{\"n\":1e400}\n"sv,
    "{\"b\":true}\n{\"b\":false}\n{\"b\":null}\n"sv,
    "{\"m\":1}\n{\"m\":\"x\"}\n{\"m\":[true]}\n{\"m\":{\"u\":1}}\n"sv,
    "{\"d\":\"2024-05-01\",\"t\":\"2024-05-01T10:11:12Z\"}\n"sv,
    "{\"d\":\"01/05/2024\",\"t\":\"2024-05-01 10:11:12\"}\n"sv,
    "{\"u\":\"0d9c3a52-3f5a-4a63-9a3a-2a0f0b6f9d11\"}\n"sv,
    "{}\n{\"n\":1}\n{}\n"sv,
    "[]"sv,
    "[1,2,3]"sv,
    "1\n2\n\"x\"\n"sv,
    "{\"n\":1,\"n\":2}\n{\"N\":3}\n{\"\":4}\n"sv,
    "\xef\xbb\xbf{\"gr\xc3\xb6\xc3\x9f"
    "e\":\"\xe6\x95\xb0\"}\n"sv,
    "{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":[[[[[[1]]]]]]}}}}}}\n"sv,
};

}  // namespace penstock::test
