#include "codec/pages/device/page_decoder.hpp"

#include "codec/pages/device/distinct_texts.hpp"
#include "codec/pages/device/pending_batch.hpp"

namespace penstock::pages {
namespace {

class DevicePageDecoder final : public PageDecoder {
 public:
  explicit DevicePageDecoder(std::shared_ptr<PagePrograms> programs)
      : programs_(std::move(programs)) {}

  void prepare(const PageNeeds& needs) override { programs_->prepare(needs); }

  Result<std::unique_ptr<PendingPages>> begin(Queue& queue,
                                              std::span<const ColumnOfPages> columns) override {
    PENSTOCK_ASSIGN(PageLayout layout, lay_out_pages(columns));
    auto batch = std::make_unique<PendingBatch>(programs_, queue, std::move(layout));
    if (batch->fault()) return std::unique_ptr<PendingPages>(std::move(batch));
    PENSTOCK_TRY(batch->begin());
    return std::unique_ptr<PendingPages>(std::move(batch));
  }

  Result<std::unique_ptr<DistinctTexts>> distinct_texts(Queue& queue, const DecodedPages& column,
                                                        const TextTable& table) override {
    auto texts = std::make_unique<TextsOfColumn>(programs_, queue, column, table);
    PENSTOCK_TRY(texts->find());
    return std::unique_ptr<DistinctTexts>(std::move(texts));
  }

  Result<Column> texts_of_rows(Queue& queue, const DecodedPages& column, const Buffer& rows,
                               std::uint32_t row_count) override {
    return pages::texts_of_rows(*programs_, queue, column, rows, row_count);
  }
  Result<StoredRows> values_of_rows(Queue& queue, const DecodedPages& column, bool is_wide,
                                    const Buffer& rows, std::uint32_t row_count) override {
    return pages::values_of_rows(*programs_, queue, column, is_wide, rows, row_count);
  }

 private:
  std::shared_ptr<PagePrograms> programs_;
};

}  // namespace

Result<std::shared_ptr<PageDecoder>> PageDecoder::create(std::shared_ptr<Device> device) {
  PENSTOCK_ASSIGN(auto programs, PagePrograms::create(std::move(device)));
  return std::shared_ptr<PageDecoder>(std::make_shared<DevicePageDecoder>(std::move(programs)));
}

}  // namespace penstock::pages
