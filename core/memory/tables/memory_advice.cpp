#include "core/memory/tables/memory_advice.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <map>
#include <utility>

#include "core/base/byte_text.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/parallel.hpp"
#include "core/memory/allocator/what_if_reports.hpp"
#include "core/memory/snapshot_summary.hpp"
#include "core/memory/snapshot_text.hpp"
#include "core/memory/tables/shorter_lifetimes.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostPlaces = 16;
constexpr std::size_t kMostCategoryAdvices = 8;
constexpr std::size_t kMostChanges = kMostPlaces + kMostCategoryAdvices;
constexpr std::uint64_t kLeastShare = 200;  // divisor of the peak; smaller changes are not advised

Message text_column(const Snapshot& snapshot, const OomPlace& place) {
  return place_of_frame(place.frame == kNoFrame ? std::string() : frame_text(snapshot, place.frame),
                        place.of_free);
}

/// Evaluates changes: the memory that each change removes, and the peak that remains.
class Changes {
 public:
  Changes(const SnapshotScope& scope, const std::stop_token& stop)
      : scope_(scope), device_(scope.of()), all_(device_.history.allocations), stop_(stop) {
    made_.live = device_.history.curve(MemoryCurve::requested).peak;
    gone_.resize(all_.count());
  }

  MemoryAdviceList run() {
    if (all_.count() == 0 || made_.live.bytes == 0) return std::move(made_);
    add_places();
    add_categories();
    find_live_peaks();
    add_shorter_lives();
    made_.proved = proved_allocator(*scope_.snapshot, scope_.device, stop_);
    if (made_.proved->refused().empty()) run_model();
    std::erase_if(made_.advices, [&](const MemoryAdvice& advice) {
      return advice.live.bytes >= made_.live.bytes &&
             (!advice.reserved || *advice.reserved >= *made_.reserved);
    });
    std::ranges::stable_sort(made_.advices, {}, [&](const MemoryAdvice& advice) {
      return std::pair(advice.reserved.value_or(advice.live.bytes), advice.live.bytes);
    });
    return std::move(made_);
  }

 private:
  /// Adds a change per place, which removes all allocations of a frame, including those that are not live at
  /// the peak.
  void add_places() {
    std::vector<OomPlace> places = live_places(*scope_.snapshot, device_, made_.live.event);
    std::erase_if(places, [&](const OomPlace& place) {
      return place.frame == kNoFrame || place.of_free || place.bytes < made_.live.bytes / kLeastShare;
    });
    places.resize(std::min(places.size(), kMostPlaces));
    std::map<FrameId, std::size_t> numbers;
    for (const OomPlace& place : places) {
      numbers.emplace(place.frame, made_.advices.size());
      made_.advices.push_back(
          {AdviceKind::place, text_column(*scope_.snapshot, place), {}, place, made_.live, {}});
    }
    std::vector<FrameId> frames(scope_.snapshot->stacks.stack_count(), kNoFrame);
    std::vector<bool> known(frames.size());
    for (std::size_t i = 0; i < all_.count(); ++i) {
      if (all_.origin[i] == AllocationOrigin::freed_only || all_.stack[i] == kNoStack) continue;
      const auto stack = static_cast<std::size_t>(all_.stack[i]);
      if (!known[stack]) frames[stack] = place_frame(*scope_.snapshot, all_.stack[i]);
      known[stack] = true;
      if (const auto found = numbers.find(frames[stack]); found != numbers.end())
        gone_[i] |= std::uint32_t{1} << found->second;
    }
  }

  void add_categories() {
    const AllocationCategories* const categories = scope_.categories;
    if (categories == nullptr) return;
    std::vector<OomPlace> sums(categories->names.size());
    for (const AllocationId id : live_at(device_.history, made_.live.event)) {
      const auto i = static_cast<std::size_t>(id);
      OomPlace& sum = sums[categories->of_allocation[i]];
      sum.bytes += all_.size[i];
      ++sum.count;
      if (sum.largest == kNoAllocation || all_.size[i] > all_.size[static_cast<std::size_t>(sum.largest)])
        sum.largest = id;
    }
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (sums[i].bytes >= std::max<std::uint64_t>(1, made_.live.bytes / kLeastShare) &&
          !is_unknown_category(categories->names[i]))
        order.push_back(i);
    }
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return sums[i].bytes; });
    order.resize(std::min(order.size(), kMostCategoryAdvices));
    std::vector<std::uint32_t> bits(sums.size());
    for (const std::size_t i : order) {
      bits[i] = std::uint32_t{1} << made_.advices.size();
      OomPlace sum = sums[i];
      sum.frame = kNoFrame;
      made_.advices.push_back({AdviceKind::category, categories->names[i], {}, sum, made_.live, {}});
    }
    for (std::size_t i = 0; i < all_.count(); ++i) gone_[i] |= bits[categories->of_allocation[i]];
  }

  /// Adds shorter lifetimes. Must be called after the other changes were added, because the bits of gone_ are
  /// the indices of the other changes.
  void add_shorter_lives() {
    const AllocationClassifier meaning = memory_meaning(*scope_.snapshot, scope_.device, scope_.units, stop_);
    if (stop_.stop_requested()) return;
    const std::vector<LifeGap>* const none = nullptr;
    gaps_.assign(made_.advices.size(), none);
    shorter_ = shorter_lifetimes(*scope_.snapshot, scope_.device, meaning, stop_);
    for (const ShorterLifetimes& lives : shorter_) {
      const CurvePeak peak = peak_with_gaps(device_, live_, lives.gaps);
      if (peak.bytes + made_.live.bytes / kLeastShare > made_.live.bytes) continue;
      MemoryAdvice advice{AdviceKind::lifetime, lives.what, {}, {}, peak, {}};
      advice.place.frame = kNoFrame;
      for (const LifeGap& gap : lives.gaps) {
        if (gap.from > made_.live.event || made_.live.event >= gap.to) continue;
        OomPlace& place = advice.place;
        const std::uint64_t size = all_.size[static_cast<std::size_t>(gap.id)];
        place.bytes += size;
        ++place.count;
        if (place.largest == kNoAllocation || size > all_.size[static_cast<std::size_t>(place.largest)])
          place.largest = gap.id;
      }
      made_.advices.push_back(std::move(advice));
      made_.assumed.push_back(lives.assumed);
      gaps_.push_back(&lives.gaps);
    }
  }

  /// Evaluates all changes in one pass: the peak of live memory minus removed memory.
  void find_live_peaks() {
    static_assert(kMostChanges <= 32);
    const std::size_t count = made_.advices.size();
    std::array<std::uint64_t, kMostChanges> gone{};
    std::uint64_t live = 0;
    const auto change = [&](AllocationId id, bool begins) {
      const auto i = static_cast<std::size_t>(id);
      const std::uint64_t size = all_.size[i];
      live = begins ? live + size : live - size;
      for (std::uint32_t bits = gone_[i]; bits != 0; bits &= bits - 1) {
        std::uint64_t& value = gone[static_cast<std::size_t>(std::countr_zero(bits))];
        value = begins ? value + size : value - size;
      }
    };
    const auto note = [&](EventIndex event) {
      for (std::size_t k = 0; k < count; ++k) {
        CurvePeak& peak = made_.advices[k].live;
        if (live - gone[k] > peak.bytes) peak = {live - gone[k], event};
      }
    };
    std::size_t older = 0;
    for (; older < all_.count() && all_.begin[older] < 0; ++older)
      change(AllocationId{static_cast<std::uint32_t>(older)}, true);
    for (MemoryAdvice& advice : made_.advices) advice.live = {};
    note(kBeforeRecording);
    live_.push_back(live);
    const AllocationHistory& history = device_.history;
    std::size_t replaced = 0;
    for (std::size_t e = 0; e < device_.entries.entry_count(); ++e) {
      if (e % kCancelStride == 0 && stop_.stop_requested()) return;
      const auto event = static_cast<EventIndex>(e);
      for (; replaced < history.replaced.size(); ++replaced) {
        const AllocationId id = history.replaced[replaced];
        if (all_.end[static_cast<std::size_t>(id)] > event) break;
        change(id, false);
      }
      const AllocationId id = history.allocation_of_entry[e];
      if (id != kNoAllocation && all_.begin[static_cast<std::size_t>(id)] == event) {
        change(id, true);
        note(event);
      } else if (id != kNoAllocation && all_.end[static_cast<std::size_t>(id)] == event) {
        change(id, false);
      }
      live_.push_back(live);
    }
  }

  /// Converts gaps to edits of a run of the model.
  void edit(const AllocatorTrace& trace, const std::vector<LifeGap>& gaps, std::vector<bool>& without,
            std::vector<WhatIfEdit>& edits) const {
    for (const LifeGap& gap : gaps) {
      const auto i = static_cast<std::size_t>(gap.id);
      const std::uint32_t request = trace.request_of[i];
      if (request == kNoBlock) continue;
      if (gap.from <= all_.begin[i] && gap.to >= all_.end[i]) {
        without[request] = true;
        continue;
      }
      edits.push_back({gap.from, request, false});
      if (gap.to < all_.end[i]) edits.push_back({gap.to, request, true});
    }
    std::ranges::stable_sort(edits, {},
                             [](const WhatIfEdit& edit) { return std::pair(edit.event, edit.again); });
  }

  void run_model() {
    const AllocatorTrace& trace = made_.proved->trace;
    const std::vector<WhatIfSetting> settings = usual_settings(trace.rules);
    const AllocatorSettings recorded = allocator_settings(*scope_.snapshot);
    const std::size_t changes = made_.advices.size();
    for (const WhatIfSetting& setting : settings) {
      made_.advices.push_back(
          {AdviceKind::setting, setting.conf, line_of(recorded, setting), {}, made_.live, {}});
    }
    // The last element is the baseline.
    std::vector<std::uint64_t> peaks(made_.advices.size() + 1);
    parallel_for(thread_count_or_default(0), peaks.size(), stop_, [&](std::size_t k, unsigned) {
      WhatIfOptions options{WhatIfStart::fresh, trace.downwards, nullptr};
      std::vector<bool> without;
      std::vector<WhatIfEdit> edits;
      if (k < changes) {
        without.resize(trace.requests.size());
        if (gaps_[k] != nullptr) {
          edit(trace, *gaps_[k], without, edits);
        } else {
          for (std::size_t i = 0; i < all_.count(); ++i) {
            if ((gone_[i] >> k & 1U) != 0 && trace.request_of[i] != kNoBlock)
              without[trace.request_of[i]] = true;
          }
        }
        options.without = &without;
        options.edits = &edits;
      }
      const bool sets = k >= changes && k < made_.advices.size();
      peaks[k] =
          what_if(trace, sets ? settings[k - changes].rules : trace.rules, options, nullptr, nullptr, stop_)
              .peak_reserved;
    });
    for (std::size_t k = 0; k < made_.advices.size(); ++k) made_.advices[k].reserved = peaks[k];
    made_.reserved = peaks.back();
  }

  const SnapshotScope& scope_;
  const SnapshotDevice& device_;
  const Allocations& all_;
  const std::stop_token& stop_;
  MemoryAdviceList made_;
  std::vector<std::uint32_t> gone_;  // by allocation: one bit per change that removes it
  std::vector<std::uint64_t> live_;  // live bytes before the first event, then after each event
  std::vector<ShorterLifetimes> shorter_;
  std::vector<const std::vector<LifeGap>*> gaps_;  // by advice; null if whole allocations are removed
};

msg::Id kind_words(AdviceKind kind) {
  constexpr std::array kNames{msg::word_setting, msg::line_of_code, msg::word_category,
                              msg::shorter_lifetime};
  return kNames[static_cast<std::size_t>(kind)];
}

void add_columns(const SnapshotScope& scope, const MemoryAdviceList& made, Table& table) {
  const std::vector<MemoryAdvice>& rows = made.advices;
  const std::int64_t live = signed_of(made.live.bytes);
  const auto frame = [&](const MemoryAdvice& row) {
    return row.place.frame == kNoFrame ? std::string() : full_frame_text(*scope.snapshot, row.place.frame);
  };
  table.text_column(rows, "single_change", msg::single_change, msg::single_change_meaning,
                    &MemoryAdvice::what);
  table.text_column(rows, "kind", msg::kind, msg::advice_kinds,
                    [](const MemoryAdvice& row) { return kind_words(row.kind); });
  table.integers_of(rows, "held_bytes", msg::held, Unit::bytes, msg::removed_memory_at_peak,
                    [](const MemoryAdvice& row) {
                      return row.kind == AdviceKind::setting ? kNoInteger : signed_of(row.place.bytes);
                    });
  table.integers_of(rows, "live_bytes", msg::peak_of_live, Unit::bytes, msg::peak_of_live_after_change,
                    [](const MemoryAdvice& row) { return row.live.bytes; });
  table.integers_of(rows, "live_change_bytes", msg::less_live, Unit::bytes, msg::change_from_recorded_peak,
                    [&](const MemoryAdvice& row) { return signed_of(row.live.bytes) - live; });
  table.integers_of(
      rows, "reserved_bytes", msg::peak_reserved, Unit::bytes, msg::peak_reserved_after_change,
      [](const MemoryAdvice& row) { return row.reserved ? signed_of(*row.reserved) : kNoInteger; });
  table.integers_of(rows, "reserved_change_bytes", msg::change, Unit::bytes, msg::change_of_reserved_peak,
                    [&](const MemoryAdvice& row) {
                      return row.reserved ? signed_of(*row.reserved) - signed_of(*made.reserved) : kNoInteger;
                    });
  table.integers_of(rows, "event", msg::peak_at, Unit::id, msg::peak_event_after_change,
                    [](const MemoryAdvice& row) { return row.live.event; });
  table.integers_of(rows, "count", msg::count, Unit::count, msg::removed_allocations_at_peak,
                    [](const MemoryAdvice& row) {
                      return row.kind == AdviceKind::setting ? kNoInteger : std::int64_t{row.place.count};
                    });
  table.texts_of(rows, "to_set", msg::how_to_set_title, msg::shell_command_for_setting, &MemoryAdvice::line);
  table.texts_of(rows, "frame", msg::frame, msg::line_with_full_path, frame);
  table.columns.back().export_only = true;
  for (const MemoryAdvice& row : rows) table.links.emplace_back(row.place.largest);
}

}  // namespace

MemoryAdviceList advise_memory(const SnapshotScope& scope, const std::stop_token& stop) {
  return Changes(scope, stop).run();
}

Table advice_table(const SnapshotScope& scope, const std::stop_token& stop) {
  Table table = titled_table(kAdviceTable, msg::advice_definition);
  const MemoryAdviceList made = advise_memory(scope, stop);
  add_columns(scope, made, table);
  const std::string live = bytes_text(made.live.bytes, scope.units);
  table.notes.emplace_back(
      has_history(scope.of()) ? msg::live_at_peak_of_recording : msg::live_without_history, live);
  if (made.reserved) {
    table.notes.emplace_back(msg::replay_reserves, bytes_text(*made.reserved, scope.units));
  } else if (made.proved != nullptr) {
    table.notes.push_back(made.proved->refused());
  }
  for (const Message& assumed : made.assumed) table.notes.push_back(assumed);
  if (made.live.bytes == 0) return table;
  table.notes.emplace_back(msg::last_use_is_unknown);
  return table;
}

constexpr TableKind<SnapshotScope> kAdviceTable{
    {.name = "advice",
     .title = msg::ways_to_save_memory,
     .heading = {},
     .about = msg::about_advice,
     .supports = {}},
    [](const SnapshotScope& scope, const TableQuery& /*query*/, const std::stop_token& stop) {
      return advice_table(scope, stop);
    }};

}  // namespace kino
