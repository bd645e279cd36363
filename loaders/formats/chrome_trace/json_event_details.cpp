#include "loaders/formats/chrome_trace/json_event_details.hpp"

#include <mutex>
#include <utility>
#include <vector>

#include "loaders/bytes/json_members.hpp"
#include "loaders/formats/chrome_trace/args_reader.hpp"
#include "loaders/formats/chrome_trace/argument_names.hpp"
#include "loaders/formats/chrome_trace/argument_search.hpp"
#include "loaders/formats/chrome_trace/trace_trim.hpp"

namespace kino {
namespace {

class JsonEventDetails : public EventDetails {
 public:
  JsonEventDetails(std::shared_ptr<const Trace> trace, std::shared_ptr<const TextSource> text)
      : trace_(std::move(trace)), text_(std::move(text)) {}

  Result<ArgNode> read(EventRef event) const override { return read_event(*text_, offset_of(event)); }

  Result<std::string> arguments_json(EventRef event) const override {
    Result<std::string> json = read_event_text(*text_, offset_of(event));
    if (!json) return json.error();
    return std::string(args_of_event(*json));
  }

  ArgumentFields sampled_fields(const std::stop_token& stop) const override {
    return sample_argument_fields(*trace_, *text_, stop);
  }

  Result<ArgumentFields> all_fields(ArgumentProgress& progress, const std::function<void()>& advanced,
                                    const std::stop_token& stop) const override {
    return all_argument_fields(*trace_, *text_, order(stop), progress, advanced, stop);
  }

  Result<SliceSet> find(std::span<const ArgumentTerm> terms, const std::function<bool(SliceId)>& wanted,
                        ArgumentProgress& progress, const std::function<void()>& advanced,
                        const std::stop_token& stop) const override {
    return find_arguments(*trace_, *text_, order(stop), terms, wanted, progress, advanced, stop);
  }

  Result<TrimReport> write_part(TimeRange range, const std::filesystem::path& out,
                                std::atomic<std::uint64_t>& bytes_read,
                                const std::stop_token& stop) const override {
    return write_trimmed(*trace_, *text_, range, out, bytes_read, stop);
  }

 private:
  std::uint64_t offset_of(EventRef event) const {
    return event.slice != kNoSlice ? trace_->source_offset(event.slice)
                                   : trace_->instants.source_offset[event.instant];
  }

  std::span<const std::uint32_t> order(const std::stop_token& stop) const {
    const std::lock_guard lock(order_mutex_);
    if (order_.empty()) order_ = slices_by_offset(*trace_, stop);
    return order_;
  }

  std::shared_ptr<const Trace> trace_;
  std::shared_ptr<const TextSource> text_;
  mutable std::mutex order_mutex_;
  mutable std::vector<std::uint32_t> order_;  // guarded by order_mutex_ until filled, then constant
};

}  // namespace

std::shared_ptr<const EventDetails> json_event_details(std::shared_ptr<const Trace> trace,
                                                       std::shared_ptr<const TextSource> text) {
  return std::make_shared<const JsonEventDetails>(std::move(trace), std::move(text));
}

}  // namespace kino
