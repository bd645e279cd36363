// Finds the traces of the other ranks of a job beside an opened trace, from the starts of the files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stop_token>

#include "core/trace/trace.hpp"
#include "loaders/cache/contained_list.hpp"

namespace kino {

/// The job of an opened trace, as far as the folder of the trace contains it.
struct JobSiblings {
  std::filesystem::path folder;
  ContainedTraces
      ranks;  ///< traces of the job with the opened one, sorted by rank; empty if there are no others
  bool whole_folder = false;  ///< whether the folder contains nothing else that could be opened
  bool more = false;          ///< whether the folder contains files that were not examined

  std::size_t count() const { return ranks.traces.size(); }
};

/// Maximum number of files whose start is read, at most 64 KB of text each.
inline constexpr std::size_t kMostSiblingsExamined = 512;

/// Reads the starts of the files in the folder of `file`, which is the file of the trace. jobs_of() decides
/// which files belong to the job: they have equal numbers of ranks, different ranks, and overlapping times.
/// Each file is assumed to last as long as the trace, and to begin with it if its start contains no time. If
/// there are too many files, those with the nearest names are read. Empty unless the trace states its rank
/// and a number of ranks above 1. Subfolders are not searched. Takes one read per file.
JobSiblings siblings_of(const std::filesystem::path& file, const Trace& trace,
                        const std::stop_token& stop = {});

}  // namespace kino
