#include "bench/portability/portability_report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/json.hpp"
#include "terminal/format.hpp"

namespace penstock::bench {
namespace {

using Cells = std::vector<std::string>;

std::string fixed(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}
std::string percent(double share) { return fixed(100 * share, 1); }

// Pads cells to the widest of their column, the first `names` to the right, numbers to the left.
std::string aligned(const std::vector<Cells>& lines, std::size_t names) {
  std::vector<std::size_t> widths;
  for (const Cells& line : lines)
    for (std::size_t i = 0; i < line.size(); i++) {
      if (i == widths.size()) widths.push_back(0);
      widths[i] = std::max(widths[i], line[i].size());
    }
  std::string text;
  for (const Cells& line : lines) {
    for (std::size_t i = 0; i < line.size(); i++) {
      const std::string padding(widths[i] - line[i].size(), ' ');
      const bool is_last = i + 1 == line.size();
      if (i > 0) text += "  ";
      text += i < names ? line[i] + (is_last ? "" : padding) : padding + line[i];
    }
    text += "\n";
  }
  return text;
}

Cells cells_of(const PortabilityRow& row) {
  return {row.family,
          row.work,
          row.device,
          row.variant + (row.is_taken ? "" : " (forced)"),
          fixed(row.seconds * 1e3, 3),
          fixed(row.bytes / 1e6, 1),
          fixed(row.bytes_per_second() / 1e9, 1),
          percent(row.share_of_copy()),
          percent(row.share_of_best)};
}

std::string rows_as_table(const PortabilityRows& rows) {
  std::vector<Cells> lines = {{"family", "case", "device", "variant", "ms", "MB counted", "GB/s",
                               "% of copy", "% of best"}};
  std::string refused;
  for (const PortabilityRow& row : rows) {
    if (row.seconds > 0)
      lines.push_back(cells_of(row));
    else
      refused += row.work + " on " + row.device + " did not run: " + row.status.message() + "\n";
  }
  return aligned(lines, 4) + refused;
}

std::string goal_text(const PortabilityFigure& figure) {
  if (!figure.has_goal()) return "";
  return figure.meets_goal() ? "met" : "missed";
}

std::string figures_as_table(const std::vector<PortabilityFigure>& figures) {
  std::vector<Cells> lines = {
      {"family", "devices", "judged by", "least", "by copy", "by best", "judged", "goal"}};
  for (const PortabilityFigure& figure : figures) {
    const PortableFamily& family = figure.family;
    lines.push_back(
        {std::string(family.name), figure.set, figure.judged_by,
         figure.lowest_device + ", " + figure.lowest_work + ": " + fixed(figure.least, 3),
         fixed(figure.by_copy, 3), fixed(figure.by_best, 3), fixed(figure.judged, 3),
         goal_text(figure)});
  }
  return aligned(lines, 4);
}

std::string gains_as_table(const std::vector<StepGain>& gains) {
  if (gains.empty()) return "";
  std::vector<Cells> lines = {{"step", "case", "device", "from", "to", "times as fast"}};
  for (const StepGain& gain : gains)
    lines.push_back({std::string(gain.step.what), std::string(gain.step.work), gain.device,
                     std::string(gain.step.without), std::string(gain.step.with),
                     fixed(gain.gain, 2)});
  return std::string(1, '\n').append(aligned(lines, 5));
}

std::string csv_line(const Cells& cells) {
  std::string line;
  for (const std::string& cell : cells)
    line.append(&cell == &cells.front() ? "" : ",").append(terminal::csv_field(cell));
  return line + "\n";
}

std::string report_as_csv(const PortabilityReport& report) {
  std::string text =
      "record,family,case,devices,hardware,variant,is_taken,milliseconds,bytes,share_of_copy,"
      "share_of_best,why_not,judged_by,judged,least,goal\n";
  for (const PortabilityRow& row : report.rows) {
    const bool has_run = row.seconds > 0;
    text +=
        csv_line({"row", row.family, row.work, row.device, row.hardware, row.variant,
                  row.is_taken ? "true" : "false", has_run ? json_number(row.seconds * 1e3) : "",
                  has_run ? json_number(row.bytes) : "", json_number(row.share_of_copy()),
                  json_number(row.share_of_best), row.status.message(), "", "", "", ""});
  }
  for (const PortabilityFigure& figure : portability_of(report.rows)) {
    std::string devices;
    for (const std::string& device : figure.devices)
      devices.append(devices.empty() ? "" : " ").append(device);
    text += csv_line({"portability", std::string(figure.family.name), "", devices, figure.set, "",
                      "", "", "", json_number(figure.by_copy), json_number(figure.by_best), "",
                      figure.judged_by, json_number(figure.judged), json_number(figure.least),
                      goal_text(figure)});
  }
  return text;
}

// An object of JSON, field by field.
class JsonObject {
 public:
  JsonObject& text(std::string_view name, std::string_view value) {
    return raw(name, json_string(value));
  }
  JsonObject& number(std::string_view name, double value) { return raw(name, json_number(value)); }
  JsonObject& boolean(std::string_view name, bool value) {
    return raw(name, value ? "true" : "false");
  }
  JsonObject& raw(std::string_view name, const std::string& value) {
    fields_ += (fields_.empty() ? "" : ", ") + json_string(name) + ": " + value;
    return *this;
  }
  std::string take() const { return "{" + fields_ + "}"; }

 private:
  std::string fields_;
};

template <class List, class Each>
std::string json_list(const List& list, std::string_view separator, const Each& each) {
  std::string text = "[";
  for (const auto& item : list) {
    if (&item != &*list.begin()) text.append(",").append(separator);
    text += each(item);
  }
  return text + "]";
}

std::string json_of_device(const PortabilityDevice& device) {
  const Traits& traits = device.device->traits();
  return JsonObject()
      .text("device", traits.id)
      .text("name", traits.name)
      .text("driver", traits.driver)
      .text("hardware", device.hardware)
      .number("copy_bytes_per_second", device.copy_bytes_per_second)
      .take();
}

std::string json_of_row(const PortabilityRow& row) {
  JsonObject object;
  object.text("family", row.family)
      .text("case", row.work)
      .text("device", row.device)
      .text("hardware", row.hardware)
      .text("variant", row.variant)
      .boolean("is_taken", row.is_taken);
  if (row.seconds <= 0) object.text("why_not", row.status.message());
  if (row.seconds > 0)
    object.number("milliseconds", row.seconds * 1e3)
        .number("spread", row.spread)
        .number("bytes", row.bytes);
  return object.number("share_of_copy", row.share_of_copy())
      .number("share_of_best", row.share_of_best)
      .take();
}

std::string json_of_figure(const PortabilityFigure& figure) {
  return JsonObject()
      .text("family", figure.family.name)
      .text("set", figure.set)
      .raw("devices",
           json_list(figure.devices, " ", [](const std::string& id) { return json_string(id); }))
      .number("by_copy", figure.by_copy)
      .number("by_best", figure.by_best)
      .text("judged_by", figure.judged_by)
      .number("judged", figure.judged)
      .number("least", figure.least)
      .text("lowest_device", figure.lowest_device)
      .text("lowest_case", figure.lowest_work)
      .boolean("has_goal", figure.has_goal())
      .boolean("meets_goal", figure.meets_goal())
      .take();
}

std::string json_of_gain(const StepGain& gain) {
  return JsonObject()
      .text("step", gain.step.what)
      .text("case", gain.step.work)
      .text("device", gain.device)
      .text("from", gain.step.without)
      .text("to", gain.step.with)
      .number("gain", gain.gain)
      .take();
}

std::string report_as_json(const PortabilityReport& report) {
  return "{\"devices\": " + json_list(report.devices, "\n  ", json_of_device) +
         ",\n \"rows\": " + json_list(report.rows, "\n  ", json_of_row) +
         ",\n \"portability\": " + json_list(portability_of(report.rows), "\n  ", json_of_figure) +
         ",\n \"steps\": " + json_list(step_gains(report.rows), "\n  ", json_of_gain) + "}\n";
}

}  // namespace

std::string text_of(const PortabilityReport& report, const std::string& format) {
  if (format == "csv") return report_as_csv(report);
  if (format == "json") return report_as_json(report);
  return rows_as_table(report.rows) + "\n" + figures_as_table(portability_of(report.rows)) +
         gains_as_table(step_gains(report.rows));
}

}  // namespace penstock::bench
