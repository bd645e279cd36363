#include "app/shell/documents/job_siblings.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/system/folder_watch.hpp"
#include "core/base/platform/folder_names.hpp"
#include "core/base/saturating.hpp"
#include "core/job/job_grouping.hpp"
#include "loaders/formats/contained_traces.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostNames = 10'000;

/// Returns the names other than `own` that could be recordings, sorted. At most kMostSiblingsExamined: the
/// names around `own`.
std::vector<std::string> names_around(const std::filesystem::path& folder, const std::string& own,
                                      bool& more) {
  std::vector<std::string> names = names_in(folder, kMostNames).names;
  more = names.size() >= kMostNames;
  std::erase_if(names, [&](const std::string& name) { return name == own || !may_be_recording(name); });
  std::ranges::sort(names);
  if (names.size() <= kMostSiblingsExamined) return names;
  more = true;
  const auto place = static_cast<std::size_t>(std::ranges::lower_bound(names, own) - names.begin());
  const std::size_t first =
      std::min(place - std::min(place, kMostSiblingsExamined / 2), names.size() - kMostSiblingsExamined);
  const auto begin = names.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(kMostSiblingsExamined)};
}

/// Returns a recording with only the data in the header of a trace, and with these times.
Recording header_of(const ContainedTrace& found, std::int64_t begin_ns, std::int64_t length_ns) {
  auto digest = std::make_shared<RankDigest>();
  digest->rank = found.rank;
  digest->world_size = found.world_size;
  digest->first_ns = begin_ns;
  digest->last_ns = saturating_add(begin_ns, length_ns);
  return new_recording(std::shared_ptr<const RankDigest>(std::move(digest)));
}

}  // namespace

JobSiblings siblings_of(const std::filesystem::path& file, const Trace& trace, const std::stop_token& stop) {
  JobSiblings siblings;
  siblings.folder = file.parent_path();
  const std::string own_name = file.filename().string();
  ContainedTrace own;
  own.path = file;
  own.name = own_name;
  own.rank = trace.job.rank;
  own.world_size = trace.job.world_size;
  if (own.rank < 0 || own.world_size < 2) return siblings;
  own.begin_ns = saturating_add(trace.origin_unix_ns, trace.content.begin_ns);
  const std::int64_t length_ns = trace.content.length_ns();
  std::vector<ContainedTrace> files{own};
  std::size_t others = 0;
  for (const std::string& name : names_around(siblings.folder, own_name, siblings.more)) {
    if (stop.stop_requested()) return siblings;
    std::optional<ContainedTrace> found = recording_at(siblings.folder / name);
    if (found && !found->snapshot && !found->dump && !found->report && found->rank >= 0 &&
        found->world_size == own.world_size) {
      files.push_back(std::move(*found));
    } else if (found) {
      ++others;
    }
  }
  std::vector<Recording> headers;
  headers.reserve(files.size());
  for (const ContainedTrace& found : files)
    headers.push_back(header_of(found, found.begin_ns < 0 ? own.begin_ns : found.begin_ns, length_ns));
  for (const Job& job : jobs_of(headers)) {
    if (!job.holds(headers.front().id) || job.recordings.size() < 2) continue;
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (job.holds(headers[i].id)) siblings.ranks.traces.push_back(files[i]);
    }
  }
  std::ranges::stable_sort(siblings.ranks.traces, {}, &ContainedTrace::rank);
  siblings.whole_folder = !siblings.more && others == 0 && siblings.count() == files.size();
  return siblings;
}

}  // namespace kino
