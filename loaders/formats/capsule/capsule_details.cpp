#include "loaders/formats/capsule/capsule_details.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/ascii.hpp"
#include "core/base/parallel.hpp"
#include "loaders/bytes/json_members.hpp"
#include "loaders/bytes/json_scan.hpp"
#include "loaders/formats/capsule/argument_block.hpp"
#include "loaders/formats/capsule/capsule_reader.hpp"
#include "loaders/formats/capsule/text_in_memory.hpp"
#include "loaders/formats/chrome_trace/args_reader.hpp"
#include "loaders/formats/chrome_trace/argument_search.hpp"
#include "loaders/formats/chrome_trace/event_walk.hpp"
#include "loaders/formats/json_import/import_writer.hpp"

namespace kino {
namespace {

using SharedBlock = std::shared_ptr<const ArgumentBlock>;

/// Returns a word as JSON: an integer in canonical form unchanged, any other word as a string.
std::string json_word(std::string_view word) {
  const std::string_view digits = word.substr(word.starts_with('-') ? 1 : 0);
  const bool number = !digits.empty() && digits.size() < 19 && (digits[0] != '0' || digits.size() == 1) &&
                      std::ranges::all_of(digits, is_digit);
  return number ? std::string(word) : json_text(word);
}

std::optional<Error> unsearchable(std::span<const ArgumentTerm> terms) {
  const auto searched = [](char c) {
    return is_digit(c) || is_letter(c) || static_cast<unsigned char>(c) >= 0x80;
  };
  for (const ArgumentTerm& term : terms) {
    if (std::ranges::any_of(term.value, searched)) continue;
    return Error{Error::Kind::unknown_format,
                 "arguments are searched by letters and digits, but the value has none"};
  }
  return std::nullopt;
}

class CapsuleDetails : public EventDetails {
 public:
  CapsuleDetails(std::shared_ptr<const Trace> trace, std::shared_ptr<const TextSource> file,
                 const CapsuleFacts& facts)
      : trace_(std::move(trace)),
        file_(std::move(file)),
        slice_blocks_(facts.slice_arguments),
        instant_blocks_(facts.instant_arguments) {}

  Result<ArgNode> read(EventRef event) const override {
    const Result<std::string> arguments = arguments_json(event);
    if (!arguments.ok()) return arguments.error();
    return read_event(TextInMemory(event_json(event, arguments.value())), 0);
  }

  Result<std::string> arguments_json(EventRef event) const override {
    const bool slice = event.slice != kNoSlice;
    const std::size_t index = slice ? index_by_offset(event.slice) : event.instant;
    const Result<SharedBlock> block =
        cached_block(slice ? slice_blocks_ : instant_blocks_, index / kBlockEvents);
    if (!block.ok()) return block.error();
    return text_in(*block.value(), index % kBlockEvents);
  }

  ArgumentFields sampled_fields(const std::stop_token& stop) const override {
    constexpr std::size_t kMostSampled = 16;
    ArgumentFields fields;
    const std::size_t stride = slice_blocks_.size() / kMostSampled + 1;
    for (std::size_t i = 0; i < slice_blocks_.size() && !stop.stop_requested(); i += stride) {
      const Result<SharedBlock> block = read_block(slice_blocks_, i);
      if (!block.ok()) break;
      add_fields(*block.value(), fields);
    }
    return fields;
  }

  Result<ArgumentFields> all_fields(ArgumentProgress& progress, const std::function<void()>& advanced,
                                    const std::stop_token& stop) const override {
    ArgumentFields fields;
    std::mutex mutex;
    std::optional<Error> error =
        for_each_block(progress, advanced, stop, [&](std::size_t, const ArgumentBlock& block) {
          const std::lock_guard lock(mutex);
          add_fields(block, fields);
        });
    if (error) return std::move(*error);
    return fields;
  }

  Result<SliceSet> find(std::span<const ArgumentTerm> terms, const std::function<bool(SliceId)>& wanted,
                        ArgumentProgress& progress, const std::function<void()>& advanced,
                        const std::stop_token& stop) const override {
    if (auto error = unsearchable(terms)) return std::move(*error);
    const std::span<const std::uint32_t> order = by_offset(stop);
    std::vector<std::vector<std::uint32_t>> found(slice_blocks_.size());
    std::optional<Error> error =
        for_each_block(progress, advanced, stop, [&](std::size_t index, const ArgumentBlock& block) {
          const std::size_t first = index * kBlockEvents;
          for (std::size_t i = 0; i < block.size() && first + i < order.size(); ++i) {
            const std::uint32_t slice = order[first + i];
            if (!block.has(i) || !wanted(SliceId{slice})) continue;
            const std::string event = R"({"args":)" + block.text(i, kLargestEvent) + '}';
            if (event_has_arguments(event, terms)) found[index].push_back(slice);
          }
        });
    if (error) return std::move(*error);
    SliceSet slices(trace_->slice_count());
    for (const std::vector<std::uint32_t>& in_block : found) {
      for (const std::uint32_t slice : in_block) slices.insert(slice);
    }
    return slices;
  }

  Result<TrimReport> write_part(TimeRange /*range*/, const std::filesystem::path& /*out*/,
                                std::atomic<std::uint64_t>& /*bytes_read*/,
                                const std::stop_token& /*stop*/) const override {
    return Error{Error::Kind::unknown_format,
                 "a capsule contains no JSON that can be trimmed; trim the original trace"};
  }

 private:
  static constexpr std::size_t kMostCached = 8;

  /// Returns the slices in the order of their events in the file.
  std::span<const std::uint32_t> by_offset(const std::stop_token& stop) const {
    const std::lock_guard lock(order_mutex_);
    if (order_.empty()) order_ = slices_by_offset(*trace_, stop);
    return order_;
  }

  std::size_t index_by_offset(SliceId slice) const {
    const std::span<const std::uint32_t> order = by_offset({});
    const auto& offsets = trace_->slices.source_offset;
    auto at = std::ranges::lower_bound(order, offsets[index_of(slice)], {},
                                       [&](std::uint32_t other) { return offsets[other]; });
    while (at != order.end() && *at != index_of(slice)) ++at;  // several slices can have this offset
    return static_cast<std::size_t>(at - order.begin());
  }

  static std::string text_in(const ArgumentBlock& block, std::size_t index) {
    return index < block.size() ? block.text(index, kLargestEvent) : std::string();
  }

  Result<SharedBlock> read_block(const std::vector<CapsulePart>& blocks, std::size_t index) const {
    if (index >= blocks.size()) return std::make_shared<const ArgumentBlock>();
    const Result<std::string> packed = read_part(*file_, blocks[index]);
    if (!packed.ok()) return packed.error();
    std::optional<ArgumentBlock> block = ArgumentBlock::read(packed.value());
    if (!block || !file_->unchanged()) {
      return Error{Error::Kind::corrupt, "The capsule has changed, or its arguments are damaged",
                   blocks[index].offset};
    }
    return std::make_shared<const ArgumentBlock>(std::move(*block));
  }

  Result<SharedBlock> cached_block(const std::vector<CapsulePart>& blocks, std::size_t index) const {
    const std::pair<const void*, std::size_t> key(&blocks, index);
    {
      const std::lock_guard lock(cache_mutex_);
      for (const auto& [cached_key, block] : cached_) {
        if (cached_key == key) return block;
      }
    }
    Result<SharedBlock> block = read_block(blocks, index);
    if (!block.ok()) return block;
    const std::lock_guard lock(cache_mutex_);
    cached_.emplace_front(key, block.value());
    if (cached_.size() > kMostCached) cached_.pop_back();
    return block;
  }

  /// Calls body(index, block) for each block, from several threads.
  template <class Body>
  std::optional<Error> for_each_block(ArgumentProgress& progress, const std::function<void()>& advanced,
                                      const std::stop_token& stop, Body&& body) const {
    for (const CapsulePart& part : slice_blocks_) progress.total_bytes += part.stored_bytes;
    std::mutex mutex;
    std::optional<Error> error;  // guarded by mutex
    parallel_for(thread_count_or_default(0), slice_blocks_.size(), stop, [&](std::size_t i, unsigned) {
      const Result<SharedBlock> block = read_block(slice_blocks_, i);
      if (block.ok()) {
        body(i, *block.value());
      } else {
        const std::lock_guard lock(mutex);
        error = block.error();
      }
      progress.bytes += slice_blocks_[i].stored_bytes;
      advanced();
    });
    if (stop.stop_requested()) return Error{Error::Kind::cancelled, "The search was cancelled"};
    return error;
  }

  static void add_fields(const ArgumentBlock& block, ArgumentFields& fields) {
    for (const std::string& skeleton : block.skeletons()) {
      if (!skeleton.starts_with('{')) continue;
      for_each_member(skeleton, [&](std::string_view name, std::string_view) {
        fields.add(name, unescape(name));
        return true;
      });
    }
  }

  std::string event_json(EventRef event, std::string_view arguments) const {
    const bool slice = event.slice != kNoSlice;
    const std::uint32_t i = slice ? index_of(event.slice) : event.instant;
    const Track* track = nullptr;
    if (slice) {
      track = &trace_->track(trace_->track_of(event.slice));
    } else {
      for (const Track& candidate : trace_->tracks) {
        if (i >= candidate.first_instant && i - candidate.first_instant < candidate.instant_count)
          track = &candidate;
      }
    }
    const std::int64_t start = slice ? trace_->slices.start_ns[i] : trace_->instants.time_ns[i];
    std::int64_t time = 0;
    if (__builtin_sub_overflow(trace_->origin_unix_ns, trace_->base_time_ns, &time) ||
        __builtin_add_overflow(time, start, &time)) {
      time = start;
    }
    const NameId name = slice ? trace_->slices.name[i] : trace_->instants.name[i];
    const CategoryId category = slice ? trace_->slices.category[i] : trace_->instants.category[i];
    std::string json = slice ? R"({"ph":"X","cat":)" : R"({"ph":"i","cat":)";
    json += json_text(trace_->category_text(category)) + R"(,"name":)" + json_text(trace_->name_text(name));
    if (track != nullptr) {
      json += R"(,"pid":)" + json_word(trace_->processes[track->process].pid) + R"(,"tid":)" +
              json_word(track->tid.view());
    }
    json += R"(,"ts":)" + us_from_ns(time);
    if (slice) json += R"(,"dur":)" + us_from_ns(trace_->slices.duration_ns[i]);
    if (!arguments.empty()) json += R"(,"args":)" + std::string(arguments);
    return json + '}';
  }

  std::shared_ptr<const Trace> trace_;
  std::shared_ptr<const TextSource> file_;
  std::vector<CapsulePart> slice_blocks_;
  std::vector<CapsulePart> instant_blocks_;
  mutable std::mutex order_mutex_;
  mutable std::vector<std::uint32_t> order_;  // guarded by order_mutex_ until filled, then constant
  mutable std::mutex cache_mutex_;
  // Guarded by cache_mutex_:
  mutable std::deque<std::pair<std::pair<const void*, std::size_t>, SharedBlock>> cached_;
};

}  // namespace

std::shared_ptr<const EventDetails> capsule_details(std::shared_ptr<const Trace> trace,
                                                    std::shared_ptr<const TextSource> file,
                                                    const CapsuleFacts& facts) {
  return std::make_shared<const CapsuleDetails>(std::move(trace), std::move(file), facts);
}

}  // namespace kino
