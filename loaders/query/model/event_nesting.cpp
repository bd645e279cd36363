#include "loaders/query/model/event_nesting.hpp"

#include <algorithm>
#include <vector>

#include "core/base/parallel.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostLanes = 256;

struct Timed {
  std::int64_t start_ns;
  std::int64_t duration_ns;
  std::uint64_t offset;
  EventNumber event;
};

struct Open {
  std::int64_t start_ns;
  std::int64_t end_ns;
  EventNumber event;
};

class Nester {
 public:
  Nester(const QueryModel& model, const std::stop_token& stop)
      : model_(model), trace_(model.trace()), stop_(stop) {
    nesting_.track = Column<std::uint32_t>(model.event_count());
    nesting_.depth = Column<std::uint32_t>(model.event_count());
    nesting_.parent = Column<EventNumber>(model.event_count());
  }

  Nesting run() {
    for (std::uint32_t thread = 0; thread < model_.threads().size() && !stop_.stop_requested(); ++thread) {
      const std::vector<TrackId>& sources = model_.threads()[thread].sources;
      const std::uint32_t process = model_.threads()[thread].process;
      const std::uint32_t number = new_track(thread, process, sources.front(), 0);
      if (sources.size() == 1 && as_in_trace(sources.front())) {
        copy(sources.front(), number);
      } else {
        nest(thread, number);
      }
    }
    for (std::uint32_t i = 0; i < trace_.tracks.size() && !stop_.stop_requested(); ++i) {
      if (trace_.tracks[i].kind != TrackKind::async) continue;
      copy(TrackId{i}, new_track(QueryTrack::kNoThread, model_.process_of(TrackId{i}), TrackId{i}, 0));
    }
    return std::move(nesting_);
  }

 private:
  std::uint32_t new_track(std::uint32_t thread, std::uint32_t process, TrackId source,
                          std::uint32_t further) {
    nesting_.tracks.push_back({thread, process, source, further});
    return static_cast<std::uint32_t>(nesting_.tracks.size() - 1);
  }

  /// Returns whether the trace's lanes already follow Perfetto's rule.
  bool as_in_trace(TrackId id) const {
    const Track& track = trace_.track(id);
    if (track.spilled_count > 0 || track.instant_count > 0) return false;
    for (std::uint32_t r = track.first_row; r < track.first_row + track.row_count; ++r) {
      const Row& row = trace_.rows[r];
      for (std::uint32_t i = row.first_slice + 1; i < row.first_slice + row.slice_count; ++i) {
        if (trace_.slices.duration_ns[i - 1] == 0 &&
            trace_.slices.start_ns[i - 1] == trace_.slices.start_ns[i])
          return false;
      }
    }
    return true;
  }

  void copy(TrackId id, std::uint32_t number) {
    const Track& track = trace_.track(id);
    for (std::uint32_t r = track.first_row; r < track.first_row + track.row_count; ++r) {
      const Row& row = trace_.rows[r];
      for (std::uint32_t i = row.first_slice; i < row.first_slice + row.slice_count; ++i) {
        nesting_.track[i] = number;
        nesting_.depth[i] = row.lane;
        nesting_.parent[i] = index_of(trace_.slices.parent[i]);
      }
    }
    for (std::uint32_t i = track.first_instant; i < track.first_instant + track.instant_count; ++i) {
      nesting_.track[model_.slice_count() + i] = number;
      nesting_.parent[model_.slice_count() + i] = kNoEvent;
    }
  }

  std::vector<Timed> events_of(std::uint32_t thread) const {
    std::vector<Timed> events;
    const auto add = [&](EventNumber event) {
      events.push_back(
          {model_.start_ns(event), model_.duration_ns(event), model_.source_offset(event), event});
    };
    for (const TrackId id : model_.threads()[thread].sources) {
      const Track& track = trace_.track(id);
      for (std::uint32_t r = track.first_row; r < track.first_row + track.row_count; ++r) {
        const Row& row = trace_.rows[r];
        for (std::uint32_t i = 0; i < row.slice_count; ++i) add(row.first_slice + i);
      }
      for (std::uint32_t i = 0; i < track.instant_count; ++i)
        add(model_.slice_count() + track.first_instant + i);
    }
    std::sort(events.begin(), events.end(), [](const Timed& a, const Timed& b) {
      if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
      if (a.duration_ns != b.duration_ns) return a.duration_ns > b.duration_ns;
      return a.offset < b.offset;
    });
    return events;
  }

  void nest(std::uint32_t thread, std::uint32_t first_number) {
    const std::vector<Timed> events = events_of(thread);
    std::vector<std::vector<Open>> lanes(1);
    std::vector<std::uint32_t> numbers{first_number};
    const QueryTrack first = nesting_.tracks[first_number];
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (i % 4096 == 0 && stop_.stop_requested()) return;
      const Timed& event = events[i];
      const std::int64_t end_ns = event.start_ns + event.duration_ns;
      std::size_t lane = 0;
      while (lane < lanes.size() && !fits(lanes[lane], event.start_ns, end_ns)) ++lane;
      if (lane == lanes.size() && lane == kMostLanes) {
        lanes[--lane].clear();
      } else if (lane == lanes.size()) {
        lanes.emplace_back();
        numbers.push_back(new_track(thread, first.process, first.source, static_cast<std::uint32_t>(lane)));
      }
      std::vector<Open>& open = lanes[lane];
      nesting_.track[event.event] = numbers[lane];
      nesting_.depth[event.event] = static_cast<std::uint32_t>(open.size());
      nesting_.parent[event.event] = open.empty() ? kNoEvent : open.back().event;
      open.push_back({event.start_ns, end_ns, event.event});
    }
  }

  /// Closes slices that have ended, and returns whether the event fits. A zero-duration slice remains open
  /// for others at its time.
  static bool fits(std::vector<Open>& open, std::int64_t start_ns, std::int64_t end_ns) {
    while (!open.empty() && open.back().end_ns <= start_ns && open.back().start_ns != start_ns)
      open.pop_back();
    return open.empty() || open.back().end_ns >= end_ns;
  }

  const QueryModel& model_;
  const Trace& trace_;
  const std::stop_token& stop_;
  Nesting nesting_;
};

}  // namespace

Nesting nest_events(const QueryModel& model, const std::stop_token& stop) {
  return Nester(model, stop).run();
}

}  // namespace kino
