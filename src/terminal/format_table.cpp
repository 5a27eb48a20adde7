#include <algorithm>

#include "base/unicode.hpp"
#include "terminal/format.hpp"
#include "terminal/messages.hpp"

namespace penstock::terminal {

namespace {

// Shows characters that the terminal must not interpret as escapes; cuts at `max_width` with "…".
std::string printable(std::string_view value, std::uint32_t max_width) {
  std::string text;
  std::uint32_t width = 0;
  for (std::size_t place = 0; place < value.size();) {
    const std::size_t start = place;
    const char32_t code = next_code_point(value, place);
    const std::string piece = visible_character(code, value.substr(start, place - start));
    const std::uint32_t piece_width = display_width(piece);
    if (width + piece_width > max_width - (place < value.size() ? 1 : 0)) return text + "…";
    text += piece;
    width += piece_width;
  }
  return text;
}

class TablePrinter {
 public:
  TablePrinter(const Table& table, const TableStyle& style, const Sink& sink)
      : table_(table), style_(style), sink_(sink) {
    const bool cut = table.row_count > style.max_rows;
    head_rows_ = cut ? (style.max_rows + 1) / 2 : table.row_count;
    tail_first_ = cut ? table.row_count - style.max_rows / 2 : table.row_count;
    for (std::size_t c = 0; c < table.columns.size(); c++) {
      names_.push_back(printable(table.names[c], style.max_cell_width));
      types_.push_back(name_of(table.columns[c].type));
      widths_.push_back(std::max(display_width(names_[c]), display_width(types_[c])));
    }
  }

  Status print() {
    PENSTOCK_TRY(each_row([this](std::uint64_t row) {
      measure(row);
      return Status();
    }));
    rule("┌", "┬", "┐");
    line([this](std::size_t c) { return names_[c]; }, true);
    line([this](std::size_t c) { return types_[c]; }, true);
    rule("├", "┼", "┤");
    PENSTOCK_TRY(each_row([this](std::uint64_t row) { return print_row(row); }));
    rule("└", "┴", "┘");
    if (tail_first_ > head_rows_)
      text_ += count_text(table_.row_count) + " rows (" + count_text(style_.max_rows) + " shown)\n";
    else if (table_.row_count != 1)
      text_ += count_text(table_.row_count) + " rows\n";
    return sink_(text_);
  }

 private:
  template <class Visit> Status each_row(Visit visit) {
    for (std::uint64_t row = 0; row < head_rows_; row++) PENSTOCK_TRY(visit(row));
    for (std::uint64_t row = tail_first_; row < table_.row_count; row++) PENSTOCK_TRY(visit(row));
    return {};
  }
  std::string cell(std::size_t c, std::uint64_t row) const {
    if (!table_.columns[c].is_valid(row)) return "NULL";
    std::string text;
    append_cell(text, table_.columns[c], row);
    return printable(text, style_.max_cell_width);
  }
  void measure(std::uint64_t row) {
    for (std::size_t c = 0; c < widths_.size(); c++)
      widths_[c] = std::max(widths_[c], display_width(cell(c, row)));
  }
  Status print_row(std::uint64_t row) {
    if (row == tail_first_ && tail_first_ > head_rows_)
      line([](std::size_t) { return std::string("·"); }, true);
    line([this, row](std::size_t c) { return cell(c, row); }, false);
    if (text_.size() < text_chunk_bytes) return {};
    PENSTOCK_TRY(sink_(text_));
    text_.clear();
    return {};
  }
  void rule(const char* left, const char* between, const char* right) {
    for (std::size_t c = 0; c < widths_.size(); c++) {
      text_ += c == 0 ? left : between;
      for (std::uint32_t i = 0; i < widths_[c] + 2; i++) text_ += "─";
    }
    text_ += std::string(right) + "\n";
  }
  template <class Cell> void line(Cell cell_text, bool centred) {
    for (std::size_t c = 0; c < widths_.size(); c++) {
      const std::string text = cell_text(c);
      const std::uint32_t space = widths_[c] - display_width(text);
      const std::uint32_t before = centred                              ? space / 2
                                   : is_numeric(table_.columns[c].type) ? space
                                                                        : 0;
      text_ += "│ " + std::string(before, ' ') + text + std::string(space - before + 1, ' ');
    }
    text_ += "│\n";
  }

  const Table& table_;
  const TableStyle& style_;
  const Sink& sink_;
  std::uint64_t head_rows_, tail_first_;
  std::vector<std::string> names_, types_;
  std::vector<std::uint32_t> widths_;
  std::string text_;
};

}  // namespace

std::uint32_t display_width(std::string_view text) {
  std::uint32_t width = 0;
  for (std::size_t place = 0; place < text.size();)
    width += terminal_columns(next_code_point(text, place));
  return width;
}

Status format_table(const Table& table, const TableStyle& style, const Sink& sink) {
  return TablePrinter(table, style, sink).print();
}

}  // namespace penstock::terminal
