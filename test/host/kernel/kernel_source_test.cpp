// Assembly of texts, signatures and arguments.
#include <gtest/gtest.h>

#include "kernel/kernel_source.hpp"
#include "kernel/signature.hpp"

namespace penstock::kernel {
namespace {

struct HeldBuffer : Buffer {
  explicit HeldBuffer(std::uint64_t bytes) : Buffer(bytes) {}
};

TEST(Assemble, EveryTargetHasItsPreludeTheLibraryAndThePartsInOrder) {
  for (const Target target :
       {Target::cuda, Target::opencl, Target::metal, Target::sycl, Target::cpu, Target::host}) {
    const std::string text =
        assemble(target, {{{"first.kc", "int first;"}, {"second.kc", "int second;"}}});
    std::size_t at = 0;
    for (const std::string& marker :
         {"#line 1 \"kernel/" + std::string(name_of(target)) + ".prelude\"\n",
          std::string("#line 1 \"kernel/group.kc\"\n"),
          std::string("#line 1 \"first.kc\"\nint first;\n#line 1 \"second.kc\"\nint second;\n")}) {
      at = text.find(marker, at);
      ASSERT_NE(at, std::string::npos) << name_of(target) << " lacks " << marker;
    }
  }
}

TEST(Assemble, OpenClTextHasNoVariadicMacro) {
  const std::string text = assemble(
      Target::opencl, {{{"x.kc", "KERNEL(x, XTile, OUT(u32, a), VALUE(u32, b))\n{\n}\n"}}});
  EXPECT_EQ(text.find("..."), std::string::npos);
  EXPECT_EQ(text.find("__VA_ARGS__"), std::string::npos);
}

TEST(Assemble, OpenClKernelsMayStandAnywhereOnALine) {
  const std::string text = assemble(
      Target::opencl,
      {{{"x.kc",
         "KERNEL(first, T, OUT(u32, a)) {} KERNEL (second, T, OUT(u32, a), VALUE(u32, b)) {}\n"
         "  KERNEL(third, T,\n    OUT(u32, a)) {}\n// KERNEL(not, a, kernel)\n"}}});
  EXPECT_NE(text.find("KERNEL_1(first,"), std::string::npos);
  EXPECT_NE(text.find("KERNEL_2 (second,"), std::string::npos);
  EXPECT_NE(text.find("KERNEL_1(third,"), std::string::npos);
  EXPECT_NE(text.find("// KERNEL(not, a, kernel)"), std::string::npos);
}

// A tree of sources: "a" and "b" include "c", "d" includes itself, and "e" what is not there.
std::string_view source_of(std::string_view name) {
  if (name == "a.kc") return "#pragma once\n#include \"c.kc\"\nint a;\n";
  if (name == "b.kc") return "#pragma once\n\n  #  include \"c.kc\"\nint b;\n";
  if (name == "c.kc") return "#pragma once\nint c;\n";
  if (name == "d.kc") return "#include \"d.kc\"\n";
  if (name == "e.kc") return "int e;\n#include \"none.kc\"\n";
  return {};
}
std::string resolved(const std::string& text) {
  return assemble_parts(Target::cuda, {{{"main.kc", text}}}, source_of);
}

TEST(Includes, AreResolvedOnceWithTheirLines) {
  EXPECT_EQ(resolved("int first;\n#include \"a.kc\"\n#include \"b.kc\"\nint last;\n"),
            "#line 1 \"main.kc\"\nint first;\n"
            "#line 1 \"a.kc\"\n\n"
            "#line 1 \"c.kc\"\n\nint c;\n"
            "#line 3 \"a.kc\"\nint a;\n"
            "#line 3 \"main.kc\"\n"
            "#line 1 \"b.kc\"\n\n\n\nint b;\n"
            "#line 4 \"main.kc\"\nint last;\n");
}

TEST(Includes, OfHeadersInAngleBracketsStay) {
  EXPECT_EQ(resolved("#include <a.kc>\n"), "#line 1 \"main.kc\"\n#include <a.kc>\n");
}

TEST(Includes, OfAFileThatIsNotThereAreAnErrorAtTheirLine) {
  EXPECT_NE(resolved("#include \"e.kc\"\n")
                .find("#line 1 \"e.kc\"\nint e;\n#error \"none.kc\" is not found\n"),
            std::string::npos);
}

TEST(Includes, OfAFileInItselfAreAnError) {
  EXPECT_NE(resolved("#include \"d.kc\"\n").find("#error \"d.kc\" includes itself\n"),
            std::string::npos);
}

TEST(Signatures, TakeParametersFromMacros) {
  const std::string text =
      "#define BASE IN(u8, a), \\\n  OUT(u64, b)\n#define SIZE 3\n"
      "KERNEL(k, T, BASE, VALUE(u32, c))\n";
  const auto signatures = read_signatures(text);
  ASSERT_TRUE(signatures.ok()) << signatures.status().text();
  ASSERT_EQ(signatures->at(0).parameters.size(), 3u);
  EXPECT_EQ(signatures->at(0).parameters[1].name, "b");
  EXPECT_NE(resolved(text).find("KERNEL_3(k, T, IN(u8, a), OUT(u64, b), VALUE(u32, c))\n"),
            std::string::npos)
      << resolved(text);
}

TEST(Signatures, TakeTheMacroThatWasDefinedLast) {
  const auto signatures = read_signatures(
      "#define P IN(u8, a)\nKERNEL(k, T, P)\n#define P IN(u8, b), IN(u8, c)\nKERNEL(l, T, P)\n");
  ASSERT_TRUE(signatures.ok()) << signatures.status().text();
  EXPECT_EQ(signatures->at(0).parameters.size(), 1u);
  EXPECT_EQ(signatures->at(1).parameters.size(), 2u);
}

TEST(Signatures, OfAssembledKernelsAreRead) {
  EXPECT_EQ(read_signatures("KERNEL_1(k, T, OUT(u32, a)) {}").value().size(), 1u);
}

TEST(EmbeddedText, KeepsEveryByteOfAText) {
  const std::string_view text = kernel_source("kernel/group.kc");
  EXPECT_TRUE(text.starts_with("// Shared by all programs"));
  EXPECT_TRUE(text.ends_with("}\n"));
  EXPECT_NE(kernel_source("kernel/opencl.prelude").find(" \\\n"), std::string_view::npos);
  EXPECT_NE(kernel_source("kernel/cuda.prelude").find("\"=r\""), std::string_view::npos);
  EXPECT_TRUE(kernel_source("kernel/none.kc").empty());
}

TEST(Signatures, AreReadWithKindsTypesAndNamesAcrossLines) {
  const auto signatures = read_signatures(
      "KERNEL(first, FirstTile,\n       IN(u8, codes), /* , */ OUT( u64 , text ),\n       "
      "ATOMIC(U32, first_bad), VALUE(MyType, count))\n{ "
      "}\n"
      "KERNEL(second, T, OUT(u32x4, x)) { KERNELS(1); }\n");
  ASSERT_TRUE(signatures.ok()) << signatures.status().text();
  ASSERT_EQ(signatures->size(), 2u);
  const Signature& first = signatures->front();
  EXPECT_EQ(first.name, "first");
  EXPECT_EQ(first.tile, "FirstTile");
  ASSERT_EQ(first.parameters.size(), 4u);
  const Parameter expected[] = {{ParameterKind::in, "u8", "codes"},
                                {ParameterKind::out, "u64", "text"},
                                {ParameterKind::atomic, "U32", "first_bad"},
                                {ParameterKind::value, "MyType", "count"}};
  for (std::size_t i = 0; i < 4; i++) {
    EXPECT_EQ(first.parameters[i].kind, expected[i].kind) << i;
    EXPECT_EQ(first.parameters[i].type, expected[i].type) << i;
    EXPECT_EQ(first.parameters[i].name, expected[i].name) << i;
  }
  EXPECT_EQ((*signatures)[1].parameters[0].type, "u32x4");
}

TEST(Signatures, CommentsStringsAndDefinitionsHoldNoKernels) {
  const auto signatures = read_signatures(
      "// KERNEL(a, T, OUT(u32, x))\n/* KERNEL(b, T, OUT(u32, x)) */\n#define KERNEL(NAME, T, ...) "
      "\\\n  KERNEL(NAME, c)\n"
      "const char* text = \"KERNEL(d, T, OUT(u32, x))\";\n  #  define E KERNEL(e\nMY_KERNEL(f, T, "
      "OUT(u32, x))\n");
  ASSERT_TRUE(signatures.ok()) << signatures.status().text();
  EXPECT_TRUE(signatures->empty());
}

TEST(Signatures, AllTextsOfThisLayerCanBeReadAfterAssembly) {
  for (const Target target : {Target::cuda, Target::metal, Target::sycl, Target::host}) {
    const auto signatures = read_signatures(
        assemble(target, {{{"kernel/copy.kc", std::string(kernel_source("kernel/copy.kc"))}}}));
    ASSERT_TRUE(signatures.ok()) << signatures.status().text();
    ASSERT_EQ(signatures->size(), 2u) << name_of(target);
    EXPECT_EQ(signatures->front().name, "copy_wide");
  }
}

TEST(Signatures, AWrongParameterIsNamedWithItsPlace) {
  const auto signatures = read_signatures(
      "#line 1 \"kernel/mine.kc\"\n\n\nKERNEL(mine, T, IN(u8, a), INOUT(u8, b))\n{\n}\n");
  ASSERT_FALSE(signatures.ok());
  for (const char* part : {"mine", "INOUT(u8, b)", "kernel/mine.kc:3"})
    EXPECT_NE(signatures.status().text().find(part), std::string::npos)
        << signatures.status().text();
}

TEST(Signatures, MoreParametersThanTargetsTakeAreRefused) {
  std::string text = "KERNEL(wide, T";
  for (int i = 0; i < 65; i++) text += ", IN(u8, a" + std::to_string(i) + ")";
  EXPECT_EQ(read_signatures(text + ") {}").status().code(), Code::capacity);
}

TEST(Signatures, AnUnclosedListIsAnError) {
  EXPECT_EQ(read_signatures("KERNEL(a, T, OUT(u32, x)").status().code(), Code::invalid);
  EXPECT_EQ(read_signatures("KERNEL(a)").status().code(), Code::invalid);
}

class CheckArguments : public ::testing::Test {
 protected:
  const Signature signature_ =
      read_signatures(
          "KERNEL(k, T, IN(u64, in), ATOMIC(U32, bad), VALUE(u32, count), VALUE(Own, own))")
          .value()[0];
  const HeldBuffer buffer_{64}, small_{4};
  std::vector<Argument> arguments_ = {Argument::of(buffer_), Argument::of(small_),
                                      Argument::value(std::uint32_t{1}),
                                      Argument::value(std::uint8_t{1})};
  void expect_refused(const char* what) const {
    const Status status = check_arguments(signature_, arguments_);
    EXPECT_EQ(status.code(), Code::invalid);
    EXPECT_NE(status.text().find(what), std::string::npos) << status.text();
    EXPECT_NE(status.text().find("'k'"), std::string::npos) << status.text();
  }
};

TEST_F(CheckArguments, ThoseThatFitPass) {
  EXPECT_TRUE(check_arguments(signature_, arguments_).ok());
}
TEST_F(CheckArguments, OneTooFewIsRefused) {
  arguments_.pop_back();
  expect_refused("4 arguments, 3");
}
TEST_F(CheckArguments, AValueForABufferIsRefused) {
  arguments_[0] = Argument::value(std::uint64_t{1});
  expect_refused("'in'");
}
TEST_F(CheckArguments, AValueForAnAtomicIsRefused) {
  arguments_[1] = Argument::value(std::uint32_t{1});
  expect_refused("'bad'");
}
TEST_F(CheckArguments, ABufferForAValueIsRefused) {
  arguments_[2] = Argument::of(buffer_);
  expect_refused("'count'");
}
TEST_F(CheckArguments, AValueOfAnotherSizeIsRefused) {
  arguments_[2] = Argument::value(std::uint64_t{1});
  expect_refused("'count'");
}
TEST_F(CheckArguments, ABufferTooSmallForOneElementIsRefused) {
  arguments_[0] = Argument::of(small_);
  expect_refused("holds no u64");
}
TEST_F(CheckArguments, AnOffsetThatSplitsElementsIsRefused) {
  arguments_[0].offset_bytes = 4;
  expect_refused("multiple of 8");
}
TEST_F(CheckArguments, AnOffsetBehindTheEndIsRefused) {
  arguments_[0].offset_bytes = 64;
  expect_refused("holds no u64");
}

TEST(BytesOfType, KnowsExactlyTheScalarsOfTheDialect) {
  const std::pair<const char*, std::uint32_t> known[] = {
      {"u8", 1},  {"i8", 1},  {"u16", 2}, {"i16", 2}, {"u32", 4},   {"i32", 4},
      {"f32", 4}, {"u64", 8}, {"i64", 8}, {"f64", 8}, {"u32x4", 16}};
  for (const auto& [type, bytes] : known) EXPECT_EQ(bytes_of_type(type), bytes) << type;
  for (const char* other : {"", "u", "f8", "f16", "u1", "u128", "int", "I128", "u64 "})
    EXPECT_EQ(bytes_of_type(other), std::nullopt) << other;
}

}  // namespace
}  // namespace penstock::kernel
