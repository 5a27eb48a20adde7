// The parts of generated string columns: random numbers, a row's string, words, and rows in
// parallel.
#pragma once
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/column.hpp"

namespace penstock::codec {

// Sebastiano Vigna's splitmix64: streams of different seeds are unrelated.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t value = state_ += 0x9e3779b97f4a7c15;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
  }
  std::uint64_t below(std::uint64_t limit) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(next()) * limit >> 64);
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  bool one_in(std::uint64_t count) { return below(count) == 0; }

 private:
  std::uint64_t state_;
};

// Appends a row's string to those before it.
class Text {
 public:
  explicit Text(std::string& bytes) : bytes_(bytes), begin_(bytes.size()) {}
  void put(std::string_view part) { bytes_.append(part); }
  void put_number(std::uint64_t number, unsigned min_digits = 1) {
    std::array<char, 20> digits;
    unsigned count = 0;
    for (; number != 0 || count < min_digits; number /= 10)
      digits[digits.size() - ++count] = static_cast<char>('0' + number % 10);
    put({digits.data() + digits.size() - count, count});
  }
  void put_hex(std::uint64_t number, unsigned digit_count) {
    std::array<char, 16> digits;
    for (unsigned i = 0; i < digit_count; i++, number >>= 4)
      digits[i] = "0123456789abcdef"[number & 15];
    put({digits.data(), digit_count});
  }
  std::uint64_t size() const { return bytes_.size() - begin_; }
  void cut(std::uint64_t size) { bytes_.resize(begin_ + std::min(size, this->size())); }

 private:
  std::string& bytes_;
  std::size_t begin_;
};

// 2048 words of two to four syllables; no "oo", so that "google" occurs only where it is put.
const std::vector<std::string>& made_words();
// Returns a number, low ones likelier: the square approximates the frequencies of words.
std::string_view common_word(Random& random);

// Appends the string of a row, which depends on the seed and the row's number alone.
using PutRow = void (*)(Text& text, std::uint64_t seed, std::uint64_t row);
Column generate_rows(PutRow put_row, std::uint64_t row_count, std::uint64_t seed);

}  // namespace penstock::codec
