#include "video/output/score_writer.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <functional>

namespace penstock::video {
namespace {

std::string formatted(const char* format, double value) {
  std::array<char, 400> text;  // the largest double has 309 digits before its point
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string json_text(double score) { return std::isfinite(score) ? score_text(score) : "null"; }
std::string fps_text(double fps) { return std::isfinite(fps) ? formatted("%.2f", fps) : "null"; }

std::array<std::pair<const char*, double>, 4> methods_of(const Pooled& pooled) {
  return {{{"min", pooled.min},
           {"max", pooled.max},
           {"mean", pooled.mean},
           {"harmonic_mean", pooled.harmonic_mean}}};
}

// Calls with each frame that is written and the keys that it has scores of.
void for_each_frame(
    const Scores& scores, const ScoreContext& context,
    const std::function<void(std::uint64_t frame, const std::vector<std::string>& keys)>& write) {
  for (std::uint64_t frame = 0; frame < scores.frame_count(); frame += context.subsample) {
    std::vector<std::string> keys;
    for (const std::string& key : scores.keys())
      if (scores.value(key, frame)) keys.push_back(key);
    if (!keys.empty()) write(frame, keys);
  }
}

std::string attribute(const std::string& name, double score) {
  return name + "=\"" + score_text(score) + "\" ";
}

std::string xml(const Scores& scores, const ScoreContext& context) {
  std::string text = "<VMAF version=\"" + context.version + "\">\n  <params qualityWidth=\"" +
                     std::to_string(context.width) + "\" qualityHeight=\"" +
                     std::to_string(context.height) + "\" />\n  <fyi fps=\"" +
                     formatted("%.2f", context.frames_per_second) + "\" />\n  <frames>\n";
  for_each_frame(scores, context, [&](std::uint64_t frame, const auto& keys) {
    text += "    <frame frameNum=\"" + std::to_string(frame) + "\" ";
    for (const std::string& key : keys) text += attribute(key, *scores.value(key, frame));
    text += "/>\n";
  });
  text += "  </frames>\n  <pooled_metrics>\n";
  for (const std::string& key : scores.keys()) {
    text += "    <metric name=\"" + key + "\" ";
    for (const auto& [method, score] : methods_of(scores.pooled(key, context.subsample)))
      text += attribute(method, score);
    text += "/>\n";
  }
  text += "  </pooled_metrics>\n  <aggregate_metrics ";
  for (const auto& [key, score] : scores.aggregates()) text += attribute(key, score);
  return text + "/>\n</VMAF>\n";
}

// Members of an object, each on a line of its own.
class Members {
 public:
  explicit Members(std::string indent) : indent_(std::move(indent)) {}
  void add(std::string_view name, const std::string& value) {
    text_ += (text_.empty() ? "\n" : ",\n") + indent_ + '"' + std::string(name) + "\": " + value;
  }
  std::string object(const std::string& indent) const { return "{" + text_ + "\n" + indent + "}"; }

 private:
  std::string indent_, text_;
};

std::string json(const Scores& scores, const ScoreContext& context) {
  std::string frames;
  for_each_frame(scores, context, [&](std::uint64_t frame, const auto& keys) {
    Members metrics("        ");
    for (const std::string& key : keys) metrics.add(key, json_text(*scores.value(key, frame)));
    frames += (frames.empty() ? "\n" : ",\n") + std::string("    {\n      \"frameNum\": ") +
              std::to_string(frame) + ",\n      \"metrics\": " + metrics.object("      ") +
              "\n    }";
  });
  Members pooled("    "), aggregates("    ");
  for (const std::string& key : scores.keys()) {
    Members methods("      ");
    for (const auto& [method, score] : methods_of(scores.pooled(key, context.subsample)))
      methods.add(method, json_text(score));
    pooled.add(key, methods.object("    "));
  }
  for (const auto& [key, score] : scores.aggregates()) aggregates.add(key, json_text(score));
  return "{\n  \"version\": \"" + context.version +
         "\",\n  \"fps\": " + fps_text(context.frames_per_second) + ",\n  \"frames\": [" + frames +
         "\n  ],\n  \"pooled_metrics\": " + pooled.object("  ") +
         ",\n  \"aggregate_metrics\": " + aggregates.object("  ") + "\n}\n";
}

std::string csv(const Scores& scores, const ScoreContext& context) {
  std::string text = "Frame,";
  for (const std::string& key : scores.keys()) text += key + ",";
  text += "\n";
  for_each_frame(scores, context, [&](std::uint64_t frame, const auto&) {
    text += std::to_string(frame) + ",";
    for (const std::string& key : scores.keys())
      text += (scores.value(key, frame) ? score_text(*scores.value(key, frame)) : "") + ",";
    text += "\n";
  });
  return text;
}

// MicroDVD subtitles.
std::string sub(const Scores& scores, const ScoreContext& context) {
  std::string text;
  for_each_frame(scores, context, [&](std::uint64_t frame, const auto& keys) {
    text += "{" + std::to_string(frame) + "}{" + std::to_string(frame + 1) +
            "}frame: " + std::to_string(frame) + "|";
    for (const std::string& key : keys)
      text += key + ": " + score_text(*scores.value(key, frame)) + "|";
    text += "\n";
  });
  return text;
}

struct FormatRow {
  std::string_view name;
  ScoreFormat format;
  std::string (*write)(const Scores&, const ScoreContext&);
};
constexpr FormatRow format_rows[] = {{"xml", ScoreFormat::xml, xml},
                                     {"json", ScoreFormat::json, json},
                                     {"csv", ScoreFormat::csv, csv},
                                     {"sub", ScoreFormat::sub, sub}};

}  // namespace

std::optional<ScoreFormat> score_format_named(std::string_view name) {
  for (const FormatRow& row : format_rows)
    if (row.name == name) return row.format;
  return std::nullopt;
}

std::string write_scores(const Scores& scores, ScoreFormat format, const ScoreContext& context) {
  return format_rows[static_cast<std::size_t>(format)].write(scores, context);
}

std::string score_text(double score) {
  double whole = 0;
  const double fraction = std::abs(std::modf(score, &whole));
  const bool is_hidden = fraction > 0 && fraction < 1e-6;
  return formatted(is_hidden ? "%.16f" : "%.6f", score);
}

}  // namespace penstock::video
