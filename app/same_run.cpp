#include "app/same_run.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/unix_clock.hpp"

namespace kino {
namespace {

/// How much a trace and a device have in common, more first: the GPU, then ns of the same time.
std::pair<bool, std::int64_t> match_of(const Trace& trace, const SnapshotDevice& device) {
  const auto clock = clock_of(device);
  if (!clock || !same_clock(clock_of(trace), *clock)) return {false, 0};
  const std::int64_t offset_ns = clock_offset_ns(*clock, clock_of(trace));
  const std::int64_t begin = std::max(trace.content.begin_ns, clock->content.begin_ns + offset_ns);
  const std::int64_t end = std::min(trace.content.end_ns, clock->content.end_ns + offset_ns);
  return {process_of_gpu(trace, device).has_value(), end - begin};
}

TraceOfRun trace_for(const Session& session, const SnapshotDevice& device) {
  TraceOfRun best;
  std::pair<bool, std::int64_t> most{false, 0};
  for (std::size_t t = 0; t < session.size(); ++t) {
    const Document& document = session.document(t);
    if (document.trace() == nullptr) continue;
    const auto match = match_of(*document.trace(), device);
    if (match <= most) continue;
    most = match;
    best = {document.trace(), session.title(t), document.serial()};
  }
  return best;
}

}  // namespace

void match_runs(const Session& session) {
  for (std::size_t t = 0; t < session.size(); ++t) {
    const std::shared_ptr<const Trace> trace = session.document(t).trace();
    if (trace == nullptr) continue;
    std::vector<SnapshotOfRun> found;
    for (std::size_t s = 0; s < session.size(); ++s) {
      std::shared_ptr<const Snapshot> snapshot = session.document(s).snapshot();
      if (snapshot == nullptr || !same_clock(*trace, *snapshot)) continue;
      found.push_back({std::move(snapshot), session.title(s)});
    }
    session.document(t).panel().set_snapshots(std::move(found));
  }
  for (std::size_t s = 0; s < session.size(); ++s) {
    const Document& document = session.document(s);
    if (!document.shows_snapshot() || !document.snapshot_panel().shown().any()) continue;
    SnapshotPanel& panel = document.snapshot_panel();
    panel.set_trace(document.trace() != nullptr
                        ? TraceOfRun{document.trace(), session.title(s), document.serial()}
                        : trace_for(session, panel.shown().device()));
  }
}

}  // namespace kino
