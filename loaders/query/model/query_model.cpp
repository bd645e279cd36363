#include "loaders/query/model/query_model.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/parallel.hpp"
#include "core/trace/autograd_pairs.hpp"
#include "core/trace/links/call_nesting.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/slice_kind.hpp"
#include "core/trace/track_names.hpp"
#include "loaders/query/model/event_nesting.hpp"
#include "loaders/query/model/event_ranks.hpp"

namespace kino {
namespace {

/// Returns whether the loader derived the counter from [memory] events, so that it is not in the file.
bool derived_counter(const Track& track) {
  return track.bytes && (track.name == kAllocatedCounter || track.name == kReservedCounter);
}

}  // namespace

QueryModel::QueryModel(std::shared_ptr<const Trace> trace, std::shared_ptr<const EventDetails> details,
                       std::string file, std::int64_t rank)
    : trace_(std::move(trace)),
      details_(std::move(details)),
      file_(std::move(file)),
      rank_(rank),
      slice_count_(static_cast<EventNumber>(trace_->slice_count())),
      instant_count_(static_cast<EventNumber>(trace_->instants.time_ns.size())) {
  gpu_category_.resize(trace_->categories.size());
  for (std::uint32_t i = 0; i < trace_->categories.size(); ++i)
    gpu_category_[i] = is_gpu_category(trace_->categories[i]);
  // Flows derived from sequence numbers have the category that was added last, which the file itself does not
  // contain.
  const std::uint32_t autograd = trace_->categories.find(kAutogradFlow);
  has_derived_ = autograd != StringTable::kAbsent && autograd + 1 == trace_->categories.size();
  if (has_derived_) derived_category_ = CategoryId{static_cast<std::uint16_t>(autograd)};
  find_threads();
  find_bounds();
}

QueryModel::QueryModel(std::shared_ptr<const Snapshot> snapshot, std::string file, std::int64_t rank)
    : QueryModel(std::make_shared<const Trace>(), nullptr, std::move(file), rank) {
  snapshot_ = std::move(snapshot);
}

const DamageLog& QueryModel::damage() const {
  return snapshot_ != nullptr ? snapshot_->damage : trace().damage;
}

void QueryModel::find_threads() {
  std::map<std::string_view, std::uint32_t> process_by_pid;
  std::map<std::pair<std::uint32_t, std::string_view>, std::uint32_t> thread_by_tid;
  for (std::uint32_t i = 0; i < trace_->tracks.size(); ++i) {
    const Track& track = trace_->tracks[i];
    const Process& group = trace_->processes[track.process];
    const auto [process, new_process] =
        process_by_pid.try_emplace(group.pid, static_cast<std::uint32_t>(processes_.size()));
    if (new_process) processes_.push_back({group.pid, group.title});
    process_of_.push_back(process->second);
    const bool on_thread = track.kind != TrackKind::async && track.kind != TrackKind::counter;
    if (track.kind == TrackKind::counter && !derived_counter(track)) counters_.push_back(TrackId{i});
    if (!on_thread) {
      thread_of_.push_back(QueryTrack::kNoThread);
      continue;
    }
    const auto [thread, new_thread] = thread_by_tid.try_emplace({process->second, track.tid.view()},
                                                                static_cast<std::uint32_t>(threads_.size()));
    if (new_thread) threads_.push_back({track.tid.view(), track.name.str(), process->second, {}});
    threads_[thread->second].sources.push_back(TrackId{i});
    thread_of_.push_back(thread->second);
  }
}

void QueryModel::find_bounds() {
  bool any = false;
  const auto cover = [&](std::int64_t begin_ns, std::int64_t end_ns) {
    bounds_ = any ? TimeRange{std::min(bounds_.begin_ns, begin_ns), std::max(bounds_.end_ns, end_ns)}
                  : TimeRange{begin_ns, end_ns};
    any = true;
  };
  for (const Row& row : trace_->rows) {
    if (row.slice_count == 0) continue;  // slices of a row are disjoint and sorted: the last one ends last
    const SliceId last{row.first_slice + row.slice_count - 1};
    cover(trace_->slices.start_ns[row.first_slice], trace_->end_ns(last));
  }
  for (const Track& track : trace_->tracks) {
    if (track.instant_count > 0) {
      cover(trace_->instants.time_ns[track.first_instant],
            trace_->instants.time_ns[track.first_instant + track.instant_count - 1]);
    }
    if (track.sample_count > 0) {
      cover(trace_->samples.time_ns[track.first_sample],
            trace_->samples.time_ns[track.first_sample + track.sample_count - 1]);
    }
  }
}

const Nesting* QueryModel::nesting(const std::stop_token& stop) const {
  return nesting_.get(stop, [&] { return nest_events(*this, stop); });
}

const Column<std::int64_t>* QueryModel::self_ns(const std::stop_token& stop) const {
  const Nesting* const nested = nesting(stop);
  if (nested == nullptr) return nullptr;
  return self_.get(stop, [&] {
    Column<std::int64_t> self(event_count());
    for (EventNumber event = 0; event < event_count(); ++event) {
      if (event % kCancelStride == 0 && stop.stop_requested()) break;
      add_saturating(self[event], duration_ns(event));
      const EventNumber parent = nested->parent[event];
      if (parent != kNoEvent) subtract_saturating(self[parent], duration_ns(event));
    }
    // Only children in async tracks can overlap: in other tracks, crossing slices are in separate lanes.
    for (const Track& track : trace().tracks) {
      if (track.kind != TrackKind::async || track.spilled_count == 0) continue;
      for_each_nested_call(
          trace(), track, whole_range(trace()), stop, [](SliceId) { return true; },
          [&](const NestedCall& call) {
            if (call.caller == kNoSlice) return;
            add_saturating(self[index_of(call.caller)], call.free_from_ns - trace().start_ns(call.slice));
          });
    }
    return self;
  });
}

std::shared_ptr<const Column<EventNumber>> QueryModel::ordered(std::span<const EventOrder> keys,
                                                               const std::stop_token& stop) const {
  const std::lock_guard lock(orders_mutex_);
  const auto known =
      std::ranges::find_if(orders_, [&](const Order& order) { return std::ranges::equal(order.keys, keys); });
  if (known != orders_.end()) {
    std::rotate(known, known + 1, orders_.end());
    return orders_.back().events;
  }
  std::shared_ptr<Column<EventNumber>> order;
  for (std::size_t k = keys.size(); k > 0; --k) {
    const std::optional<EventRanks> place_of = EventRanks::of(*this, keys[k - 1], stop);
    if (!place_of) return nullptr;
    std::vector<std::uint32_t> next(place_of->count() + 1);
    auto sorted = std::make_shared<Column<EventNumber>>(event_count());
    for (EventNumber event = 0; event < event_count(); ++event) {
      if (event % kCancelStride == 0 && stop.stop_requested()) return nullptr;
      ++next[(*place_of)(event) + 1];
    }
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (EventNumber i = 0; i < event_count(); ++i) {
      if (i % kCancelStride == 0 && stop.stop_requested()) return nullptr;
      const EventNumber event = order != nullptr ? (*order)[i] : i;
      (*sorted)[next[(*place_of)(event)]++] = event;
    }
    order = std::move(sorted);
  }
  if (order == nullptr) return nullptr;
  if (orders_.size() == kCachedOrders) orders_.erase(orders_.begin());
  orders_.push_back({{keys.begin(), keys.end()}, std::move(order)});
  return orders_.back().events;
}

const Column<EventNumber>* QueryModel::by_place(const std::stop_token& stop) const {
  return by_place_.get(stop, [&] {
    Column<EventNumber> order(event_count());
    std::iota(order.data(), order.data() + order.size(), 0U);
    if (!stop.stop_requested()) {
      std::sort(order.data(), order.data() + order.size(),
                [&](EventNumber a, EventNumber b) { return source_offset(a) < source_offset(b); });
    }
    return order;
  });
}

}  // namespace kino
