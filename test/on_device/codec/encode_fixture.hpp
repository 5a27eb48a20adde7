// What the tests of chunk encoders share: texts encoded on a device, read by the format's own
// library and by our decoders.
#pragma once
#include "on_device/codec/chunk_fixture.hpp"

namespace penstock::chunks {

inline std::vector<Bytes> texts_of_none_to_forty_bytes() {
  std::vector<Bytes> texts;
  for (std::uint32_t bytes = 0; bytes <= 40; bytes++) {
    texts.push_back(Bytes(bytes, 'a'));
    texts.push_back(random_text(bytes, bytes, 2));
    texts.push_back(random_text(bytes, bytes));
  }
  return texts;
}

// The chunks of texts, in rooms of the bound.
inline std::vector<Bytes> chunks_of(const Way& way, Format format, const std::vector<Bytes>& texts,
                                    Layout layout = {}) {
  std::vector<Chunk> rooms;
  for (const Bytes& text : texts)
    rooms.push_back({text, Encoder::bound_bytes(format, text.size())});
  const auto result = encoded(way, format, rooms, layout);
  EXPECT_TRUE(result.ok()) << result.status().text();
  std::vector<Bytes> chunks(texts.size());
  for (std::size_t i = 0; result.ok() && i < texts.size(); i++) {
    EXPECT_OK(status_of(format, i, (*result)[i].verdict));
    chunks[i] = (*result)[i].text;
  }
  return chunks;
}

// The format's library reads what was made, and so do all of our decoders on the device.
inline void expect_round_trip(const Way& way, const Reference& reference,
                              const std::vector<Bytes>& texts, Layout layout = {}) {
  const std::vector<Bytes> chunks = chunks_of(way, reference.format, texts, layout);
  std::vector<Chunk> sound;
  for (std::size_t i = 0; i < texts.size(); i++) {
    sound.push_back({chunks[i], texts[i].size()});
    const std::optional<Bytes> text = reference.text_of(sound.back());
    ASSERT_TRUE(text.has_value()) << "text " << i << " of " << texts[i].size()
                                  << " bytes: the library refuses its chunk";
    ASSERT_TRUE(*text == texts[i]) << "text " << i << " of " << texts[i].size() << " bytes";
  }
  for (const std::string& decoder : Decoder::variants(reference.format, way.device->traits())) {
    const auto result = decoded({way.device, decoder}, reference.format, sound, layout);
    ASSERT_TRUE(result.ok()) << result.status().text();
    for (std::size_t i = 0; i < texts.size(); i++) {
      ASSERT_OK(status_of(reference.format, i, (*result)[i].verdict));
      ASSERT_TRUE((*result)[i].text == texts[i]) << decoder << ", text " << i;
    }
  }
}

// Each text in rooms from 0 bytes to more than it takes: a sound chunk where that fits, else a
// verdict. What taken() finds written outside of rooms is an error, too.
inline void expect_rooms_are_kept(const Way& way, Format format, const std::vector<Bytes>& texts) {
  const std::vector<Bytes> whole = chunks_of(way, format, texts);
  for (std::size_t i = 0; i < texts.size(); i++) {
    const auto result = encoded(way, format, rooms(texts[i], whole[i].size() + 4), {5, 1});
    ASSERT_TRUE(result.ok()) << result.status().text();
    for (std::uint64_t room = 0; room < result->size(); room++) {
      const Decoded& made = (*result)[room];
      const bool fits = room >= whole[i].size();
      ASSERT_EQ(made.verdict.fault, fits ? Fault::none : Fault::no_room)
          << "text " << i << ", room " << room;
      ASSERT_LE(made.verdict.offset, texts[i].size());
      ASSERT_TRUE(made.text == (fits ? whole[i] : Bytes())) << "text " << i << ", room " << room;
    }
  }
}

// No chunk is longer by more than a tenth (and 64 bytes, which a table may take) than the
// library's.
inline void expect_nearly_as_small(const Way& way, const Reference& reference,
                                   const std::vector<Bytes>& texts) {
  const std::vector<Bytes> chunks = chunks_of(way, reference.format, texts);
  for (std::size_t i = 0; i < texts.size(); i++)
    EXPECT_LE(chunks[i].size(), reference.compressed(texts[i]).size() * 11 / 10 + 64)
        << "text " << i;
}

// Of whatever kind the teams are, wherever chunks lie: what an item makes alone. Rooms are kept,
// and the library reads all of it.
inline void expect_chunks_of_items(const kernel::HostDeviceOptions& options,
                                   const Reference& reference, std::string_view items_variant,
                                   const std::vector<Bytes>& texts) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  const Way items{kernel::make_host_device({.is_cpu = true, .max_group_size = 1}),
                  std::string(items_variant)};
  const std::vector<Bytes> expected = chunks_of(items, reference.format, texts);
  on_each_way_on_host<Encoder>(options, reference.format, [&](const Way& way) {
    const std::vector<Bytes> chunks = chunks_of(way, reference.format, texts, {5, 1});
    for (std::size_t i = 0; i < texts.size(); i++) {
      EXPECT_TRUE(chunks[i] == expected[i]) << "text " << i;
      EXPECT_EQ(reference.text_of({chunks[i], texts[i].size()}), texts[i]) << "text " << i;
    }
    expect_rooms_are_kept(way, reference.format, {mixed_text(120, 5), Bytes(700, 1)});
  });
}

}  // namespace penstock::chunks
