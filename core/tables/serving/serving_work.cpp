#include "core/tables/serving/serving_work.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include "core/base/parallel.hpp"
#include "core/tables/serving/work_names.hpp"
#include "core/trace/event_facts.hpp"
#include "core/trace/links/launch_calls.hpp"

namespace kino {
namespace {

/// Classifies pieces; computes the properties of each name once.
class PieceMaker {
 public:
  PieceMaker(const Trace& trace, bool hide_launches)
      : trace_(trace),
        hide_launches_(hide_launches),
        facts_(decode_facts(trace)),
        by_name_(trace.names.size()),
        graph_calls_(trace.names.size()) {}

  WorkPiece piece(SliceId slice, TrackId stream) {
    const SliceKind kind = trace_.kind(slice);
    WorkPiece piece = named(slice);
    piece.range = trace_.range_of(slice);
    piece.slice = slice;
    piece.name = trace_.name(slice);
    piece.stream = stream;
    piece.device = trace_.track(stream).process;
    piece.kernel = kind != SliceKind::copy;
    const EventFacts& facts = facts_[facts_index(trace_, slice)];
    if (kind == SliceKind::communication)
      piece.part = communication_part(trace_.name_of(slice), facts.collective);
    if (kind == SliceKind::copy) {
      piece.part = IterationPart::copy;
      piece.to_host = piece.to_host || copies_to_host({}, facts.direction);
    }
    if (const SliceId launch = trace_.link(slice); launch != kNoSlice && !hide_launches_) {
      piece.launch = launch;
      piece.launch_range = trace_.range_of(launch);
      piece.thread = thread_of(launch);
      piece.process = trace_.track(piece.thread).process;
      piece.replayed = launches_a_graph(trace_.name(launch));
    }
    return piece;
  }

 private:
  const WorkPiece& named(SliceId slice) {
    const std::uint32_t name = index_of(trace_.name(slice));
    std::optional<WorkPiece>& known = by_name_[name];
    if (!known) {
      const std::string_view text = trace_.names[name];
      known.emplace();
      known->part = compute_part(text);
      known->to_host = trace_.kind(slice) == SliceKind::copy && copies_to_host(text, {});
      known->selects_tokens = trace_.kind(slice) != SliceKind::copy && selects_tokens(text);
      known->decode_attention = attends_in_decode(text);
      known->prefill_attention = attends_in_prefill(text);
    }
    return *known;
  }

  bool launches_a_graph(NameId call) {
    std::optional<bool>& known = graph_calls_[index_of(call)];
    if (!known) known = launches_graph(trace_.name_text(call));
    return *known;
  }

  /// The pieces of a replay are often consecutive, so the last launch is remembered.
  TrackId thread_of(SliceId launch) {
    if (launch != last_launch_) {
      last_launch_ = launch;
      last_thread_ = trace_.track_of(launch);
    }
    return last_thread_;
  }

  const Trace& trace_;
  const bool hide_launches_;
  const std::vector<EventFacts> facts_;
  std::vector<std::optional<WorkPiece>> by_name_;
  std::vector<std::optional<bool>> graph_calls_;
  SliceId last_launch_ = kNoSlice;
  TrackId last_thread_ = kNoTrack;
};

}  // namespace

ServingWork serving_work(const Trace& trace, bool hide_launches, const std::stop_token& stop) {
  ServingWork work;
  PieceMaker maker(trace, hide_launches);
  std::uint32_t visited = 0;
  for (const Row& row : trace.rows) {
    for (std::uint32_t i = row.first_slice; i < row.first_slice + row.slice_count; ++i) {
      if (++visited % kCancelStride == 0 && stop.stop_requested()) return {};
      if (!is_gpu_work(trace.slices.kind[i])) continue;
      work.pieces.push_back(maker.piece(SliceId{i}, row.track));
      work.any_launch = work.any_launch || work.pieces.back().launched();
    }
  }
  std::ranges::sort(work.pieces, {}, [](const WorkPiece& piece) {
    return std::tuple(piece.range.begin_ns, piece.range.end_ns, index_of(piece.slice));
  });
  return work;
}

IterationPhase guessed_phase(std::span<const WorkPiece> pieces) {
  bool decode = false;
  bool prefill = false;
  for (const WorkPiece& piece : pieces) {
    decode = decode || (piece.kernel && piece.decode_attention);
    prefill = prefill || (piece.kernel && piece.prefill_attention);
  }
  if (decode == prefill) return IterationPhase::unknown;
  return decode ? IterationPhase::decode : IterationPhase::prefill;
}

}  // namespace kino
