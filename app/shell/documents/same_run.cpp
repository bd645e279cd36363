#include "app/shell/documents/same_run.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/job/snapshot_counters.hpp"
#include "core/job/unix_clock.hpp"

namespace kino {
namespace {

MatchingTrace run_of(const Session& session, std::size_t document, const SnapshotDevice& device) {
  const Recording& recording = session.document(document).job().recordings.front();
  const std::shared_ptr<const Trace> trace = recording.trace();
  MatchingTrace run{trace, recording.id, unix_fit(device, *trace), std::nullopt, session.title(document)};
  if (run.clock) run.process = process_of_gpu(*trace, device);
  return run;
}

/// Returns a key to compare matches of a trace with a device: whether the trace shows the device's GPU, then
/// the shared time in ns. The time is negative if there is none. Returns {false, 0} without a common clock.
std::pair<bool, std::int64_t> match_of(const MatchingTrace& run, const SnapshotDevice& device) {
  const std::optional<ClockRange> clock = clock_of(device);
  if (!run.clock || !clock) return {false, 0};
  const TimeRange& of_device = clock->content;
  const std::int64_t begin =
      std::max(run.trace->content.begin_ns, run.clock->second_from_first(of_device.begin_ns));
  const std::int64_t end =
      std::min(run.trace->content.end_ns, run.clock->second_from_first(of_device.end_ns));
  return {run.process.has_value(), end - begin};
}

MatchingTrace best_run(const Session& session, std::span<const std::size_t> traces,
                       const SnapshotDevice& device) {
  MatchingTrace best;
  std::pair<bool, std::int64_t> most{false, 0};
  for (const std::size_t document : traces) {
    MatchingTrace run = run_of(session, document, device);
    const auto match = match_of(run, device);
    if (match <= most) continue;
    most = match;
    best = std::move(run);
  }
  return best;
}

std::vector<CountersOfRun> others_of(const Session& session, const Trace& trace,
                                     std::span<const std::size_t> snapshots) {
  std::vector<CountersOfRun> found;
  for (const std::size_t s : snapshots) {
    const std::shared_ptr<const Snapshot> snapshot = session.document(s).snapshot();
    if (!is_same_clock(trace, *snapshot)) continue;
    const std::string& title = session.title(s);
    found.push_back({snapshot, title, [snapshot, title](const Trace& counted, const std::stop_token& stop) {
                       return snapshot_counters(counted, *snapshot, title, stop);
                     }});
  }
  for (std::size_t i = 0; i < session.size(); ++i) {
    const Page* const page = session.document(i).page();
    auto counters = page != nullptr ? page->counters_for(trace) : std::nullopt;
    if (counters) found.push_back(std::move(*counters));
  }
  return found;
}

}  // namespace

void match_runs(const Session& session) {
  std::vector<std::size_t> traces;
  std::vector<std::size_t> snapshots;
  std::vector<OpenTrace> open;
  for (std::size_t i = 0; i < session.size(); ++i) {
    const Document& document = session.document(i);
    if (document.snapshot() != nullptr) snapshots.push_back(i);
    if (document.trace() == nullptr) continue;
    traces.push_back(i);
    open.push_back({document.serial(), session.title(i), document.trace()});
  }
  for (const std::size_t t : traces) {
    const Document& document = session.document(t);
    document.timeline()->set_others(others_of(session, *document.trace(), snapshots));
  }
  for (std::size_t s = 0; s < session.size(); ++s) {
    const Document& document = session.document(s);
    if (Page* const page = document.page()) page->set_open_traces(open);
    SnapshotPanel* panel = document.any_snapshot_panel();
    if (panel == nullptr) continue;
    std::vector<MatchingTrace> by_device;
    for (const SnapshotDevice& device : panel->shown().snapshot->devices) {
      by_device.push_back(document.trace() != nullptr ? run_of(session, s, device)
                                                      : best_run(session, traces, device));
    }
    panel->set_traces(std::move(by_device));
  }
}

}  // namespace kino
