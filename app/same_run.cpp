#include "app/same_run.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "core/unix_clock.hpp"

namespace kino {
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
}

}  // namespace kino
