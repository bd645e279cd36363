#include "loaders/formats/chrome_trace/event_blocks.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "core/base/parallel.hpp"

namespace kino {
namespace {

constexpr std::size_t kTailBytes = std::size_t{64} << 10;  // read beyond a block for its last event

}  // namespace

std::size_t EventBlocks::first_from(std::uint64_t offset) const {
  const auto first = std::ranges::lower_bound(
      order_, offset, {}, [&](std::uint32_t slice) { return trace_.slices.source_offset[slice]; });
  return static_cast<std::size_t>(first - order_.begin());
}

Result<EventBlocks::Block> EventBlocks::read(std::uint64_t begin, std::uint64_t end,
                                             std::string& buffer) const {
  Block block;
  block.first = first_from(begin);
  block.last = first_from(end);
  if (block.first == block.last) return block;
  block.from = offset_of(block.first);
  const std::uint64_t until = block.last < order_.size() ? offset_of(block.last) : text_.size_bytes();
  const std::uint64_t wanted_bytes = std::min(std::max(until, block.from), end + kTailBytes) - block.from;
  buffer.resize(static_cast<std::size_t>(wanted_bytes));
  const Result<std::size_t> got = text_.read(block.from, {buffer.data(), buffer.size()});
  if (!got.ok()) return got.error();
  block.text = std::string_view(buffer).substr(0, got.value());
  return block;
}

std::optional<Error> EventBlocks::for_each(unsigned threads, ArgumentProgress& progress,
                                           const std::function<void()>& advanced, const std::stop_token& stop,
                                           const Body& body) const {
  const std::vector<std::uint64_t> begins = text_.cuts(kBytes);
  const std::uint64_t size = text_.size_bytes();
  progress.total_bytes = size;
  std::vector<std::string> buffers(threads);
  std::mutex mutex;
  std::optional<Error> error;  // guarded by mutex
  const std::size_t stride = std::max<std::size_t>(1, begins.size() / 50);
  parallel_for(threads, begins.size(), stop, [&](std::size_t i, unsigned worker) {
    const std::uint64_t end = i + 1 < begins.size() ? begins[i + 1] : size;
    Result<Block> block = read(begins[i], end, buffers[worker]);
    if (auto problem = block.ok() ? body(*block, worker) : std::optional(block.error())) {
      const std::lock_guard lock(mutex);
      if (!error) error = std::move(problem);
    }
    progress.bytes += end - begins[i];
    if (i % stride == 0) advanced();
  });
  if (stop.stop_requested()) return Error{Error::Kind::cancelled, "The search was cancelled"};
  return error;
}

Result<std::string_view> EventBlocks::event(const Block& block, std::size_t index, std::string& whole) const {
  const auto begin = static_cast<std::size_t>(offset_of(index) - block.from);
  if (index + 1 < block.last) {
    const auto next = static_cast<std::size_t>(offset_of(index + 1) - block.from);
    return begin < block.text.size() ? block.text.substr(begin, next - begin) : std::string_view();
  }
  if (begin < block.text.size() && value_end(block.text, begin) != kIncomplete)
    return block.text.substr(begin);
  Result<std::string> text = text_.read_text(offset_of(index), kLargestEvent);
  if (!text.ok()) return text.error();
  whole = std::move(text).value();
  return std::string_view(whole);
}

}  // namespace kino
