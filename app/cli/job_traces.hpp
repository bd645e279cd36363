// Reads all traces of a job for a table that digests do not suffice for.
#pragma once

#include <memory>
#include <vector>

#include "app/cli/named_jobs.hpp"
#include "core/base/result.hpp"
#include "core/trace/trace.hpp"
#include "loaders/cache/open_options.hpp"
#include "loaders/formats/contained_traces.hpp"

namespace kino {

/// Returns the traces of all ranks of a job, in the order of JobAnalysis::ranks. `contained` has the files of
/// the job with their sizes. All traces are kept in memory. Fails without reading if they are estimated to
/// need more than half of it. Reads one trace after the other.
Result<std::vector<std::shared_ptr<const Trace>>> read_traces(const NamedJob& job,
                                                              const ContainedTraces& contained,
                                                              const OpenOptions& options);

}  // namespace kino
