#include "video/output/score_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "video/output/score_writer.hpp"

namespace penstock::video {
namespace {

// Sizes in pixels.
constexpr double width = 960, left = 76, right = 24, top = 40, panel_height = 170,
                 panel_distance = 72;
constexpr double plot_width = width - left - right;
constexpr double legend_width = 250, legend_height = 18;
constexpr std::size_t legends_per_line = 3;
// Lines of a panel are told apart by colour, also by readers who see fewer of them.
constexpr std::array<const char*, 6> colours = {"#0072b2", "#d55e00", "#009e73",
                                                "#cc79a7", "#8a6d00", "#444444"};
// A greater score is drawn as if it were infinite.
constexpr double max_score = 1e100;
// Lines share a panel where each takes at least this part of its height.
constexpr double min_share = 1.0 / 3;

struct Point {
  std::uint64_t frame;
  double score;
};
struct Line {
  std::string key;
  std::vector<std::vector<Point>> parts = {};  // between frames without a finite score
};
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  double span() const { return high - low; }
  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};
struct Panel {
  Range range;
  std::vector<Line> lines;
};

std::string text_of(const char* format, double value) {
  std::array<char, 400> text;
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}
std::string pixels(double value) { return text_of("%.1f", value); }

// Keeps the least and the greatest of neighbours, in their order, so that no peak is lost.
std::vector<Point> thinned(const std::vector<Point>& points, std::uint64_t frames_per_column) {
  if (frames_per_column < 2) return points;
  std::vector<Point> kept;
  for (std::size_t first = 0, last = 0; first < points.size(); first = last) {
    const std::uint64_t column = points[first].frame / frames_per_column;
    while (last < points.size() && points[last].frame / frames_per_column == column) last++;
    const auto [low, high] =
        std::minmax_element(points.begin() + static_cast<std::ptrdiff_t>(first),
                            points.begin() + static_cast<std::ptrdiff_t>(last),
                            [](const Point& a, const Point& b) { return a.score < b.score; });
    kept.push_back(low->frame < high->frame ? *low : *high);
    if (low != high) kept.push_back(low->frame < high->frame ? *high : *low);
  }
  return kept;
}

Line line_of(const Scores& scores, const std::string& key, std::uint64_t subsample) {
  Line line{key};
  bool is_apart = true;
  for (std::uint64_t frame = 0; frame < scores.frame_count(); frame += subsample) {
    const auto score = scores.value(key, frame);
    if (!score || !(std::abs(*score) < max_score)) {
      is_apart = true;
      continue;
    }
    if (is_apart) line.parts.emplace_back();
    line.parts.back().push_back({frame, *score});
    is_apart = false;
  }
  return line;
}

Range range_of(const Line& line) {
  Range range;
  for (const auto& part : line.parts)
    for (const Point& point : part) range.take(point.score);
  return range;
}

bool is_like(const Panel& panel, const Range& range) {
  if (panel.lines.size() == colours.size()) return false;
  Range both = panel.range;
  both.take(range.low);
  both.take(range.high);
  return std::min(panel.range.span(), range.span()) >= both.span() * min_share;
}

std::vector<Panel> panels_of(const Scores& scores, std::uint64_t subsample) {
  std::vector<Panel> panels;
  for (const std::string& key : scores.keys()) {
    Line line = line_of(scores, key, subsample);
    const Range range = range_of(line);
    auto panel = std::ranges::find_if(panels, [&](const Panel& p) { return is_like(p, range); });
    if (panel == panels.end()) panel = panels.insert(panel, Panel());
    panel->range.take(range.low);
    panel->range.take(range.high);
    panel->lines.push_back(std::move(line));
  }
  return panels;
}

// Returns 1, 2 or 5 times a power of ten, such that `span` has at most `count` of them.
double tick_step(double span, double count) {
  const double power = std::pow(10, std::floor(std::log10(span / count)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (span / (factor * power) <= count) return factor * power;
  return 10 * power;
}

std::string text_at(double x, double y, const char* anchor, const std::string& text,
                    const char* colour = "#333333") {
  std::string safe;
  for (const char c : text) safe += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return "<text x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\" text-anchor=\"" + anchor +
         "\" fill=\"" + colour + "\">" + safe + "</text>\n";
}

std::string straight_line(double x1, double y1, double x2, double y2) {
  return "<line x1=\"" + pixels(x1) + "\" y1=\"" + pixels(y1) + "\" x2=\"" + pixels(x2) +
         "\" y2=\"" + pixels(y2) + "\" stroke=\"#dddddd\"/>\n";
}

// Draws one panel with its upper edge at `y`.
class PanelWriter {
 public:
  PanelWriter(const Panel& panel, double y, std::uint64_t last_frame)
      : panel_(panel), y_(y), last_frame_(std::max<std::uint64_t>(last_frame, 1)) {
    if (!(panel.range.low <= panel.range.high)) return;
    const double margin = panel.range.span() > 0 ? panel.range.span() * 0.05
                                                 : std::max(std::abs(panel.range.low) * 0.05, 0.5);
    low_ = panel.range.low - margin;
    high_ = panel.range.high + margin;
  }

  std::string svg() const {
    std::string text = rows() + columns() + "<rect x=\"" + pixels(left) + "\" y=\"" + pixels(y_) +
                       "\" width=\"" + pixels(plot_width) + "\" height=\"" + pixels(panel_height) +
                       "\" fill=\"none\" stroke=\"#999999\"/>\n";
    for (std::size_t i = 0; i < panel_.lines.size(); i++)
      text += legend(i) + curve(panel_.lines[i], colours[i]);
    return text;
  }

 private:
  static constexpr int row_count = 5, column_count = 10;

  double x_of(std::uint64_t frame) const {
    return left + plot_width * static_cast<double>(frame) / static_cast<double>(last_frame_);
  }
  double y_of(double score) const { return y_ + panel_height * (high_ - score) / (high_ - low_); }

  std::string rows() const {
    const double step = tick_step(high_ - low_, row_count);
    std::string text;
    const double first = std::ceil(low_ / step);
    for (int i = 0; i <= row_count && (first + i) * step <= high_; i++) {
      const double value = (first + i) * step + 0.0, y = y_of(value);  // 0, not -0
      text += straight_line(left, y, left + plot_width, y) +
              text_at(left - 8, y + 4, "end", text_of("%.6g", value));
    }
    return text;
  }
  std::string columns() const {
    const double step = std::max(tick_step(static_cast<double>(last_frame_), column_count), 1.0);
    std::string text;
    for (double at = 0; at <= static_cast<double>(last_frame_); at += step) {
      const double x = x_of(static_cast<std::uint64_t>(at));
      text += straight_line(x, y_, x, y_ + panel_height) +
              text_at(x, y_ + panel_height + 16, "middle", text_of("%.0f", at));
    }
    return text;
  }
  std::string legend(std::size_t index) const {
    const Line& line = panel_.lines[index];
    const double x = left + legend_width * static_cast<double>(index % legends_per_line);
    const auto lines = (panel_.lines.size() + legends_per_line - 1) / legends_per_line;
    const double y =
        y_ - 8 - legend_height * static_cast<double>(lines - 1 - index / legends_per_line);
    return text_at(x, y, "start", line.key + (line.parts.empty() ? ": no finite score" : ""),
                   colours[index]);
  }
  std::string curve(const Line& line, const char* colour) const {
    const std::uint64_t frames_per_column =
        (last_frame_ + 1) / static_cast<std::uint64_t>(plot_width);
    std::string path;
    for (const auto& part : line.parts) {
      char command = 'M';
      for (const Point& point : thinned(part, frames_per_column)) {
        path += command + pixels(x_of(point.frame)) + " " + pixels(y_of(point.score));
        command = 'L';
      }
      if (part.size() == 1) path += "h0";  // a dot
    }
    return "<path d=\"" + path + "\" stroke=\"" + colour + "\"/>\n";
  }

  const Panel& panel_;
  double y_;
  std::uint64_t last_frame_;
  double low_ = 0, high_ = 1;
};

}  // namespace

std::string plot_scores(const Scores& scores, std::uint64_t subsample) {
  const std::vector<Panel> panels = panels_of(scores, subsample);
  const double height = top + static_cast<double>(panels.size()) * (panel_height + panel_distance);
  std::string text = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + pixels(width) +
                     "\" height=\"" + pixels(height) + "\" viewBox=\"0 0 " + pixels(width) + " " +
                     pixels(height) +
                     "\" font-family=\"sans-serif\" font-size=\"12\">\n"
                     "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
                     "<g fill=\"none\" stroke-width=\"1.5\" stroke-linejoin=\"round\" "
                     "stroke-linecap=\"round\">\n";
  const std::uint64_t last_frame = scores.frame_count() == 0 ? 0 : scores.frame_count() - 1;
  double y = top;
  for (const Panel& panel : panels) {
    text += PanelWriter(panel, y, last_frame).svg();
    y += panel_height + panel_distance;
  }
  return text + text_at(left + plot_width / 2, height - 12, "middle", "frame") + "</g>\n</svg>\n";
}

}  // namespace penstock::video
