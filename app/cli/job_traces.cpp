#include "app/cli/job_traces.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "app/pages/job/job_loader.hpp"
#include "app/system/bounded_jobs.hpp"
#include "core/base/byte_text.hpp"
#include "loaders/bytes/load_progress.hpp"
#include "loaders/formats/open.hpp"

namespace kino {
namespace {

/// Returns an error if the traces do not fit in half of the memory; their texts need about as much.
std::optional<Error> size_problem(const NamedJob& job, const ContainedTraces& contained) {
  std::uint64_t need_bytes = 0;
  for (const ContainedTrace& trace : contained.traces) {
    if (std::ranges::find(job.files, trace.path) != job.files.end())
      need_bytes += std::min(text_bytes_of(trace), UINT64_MAX - need_bytes);
  }
  const std::uint64_t most_bytes = half_of_memory();
  if (need_bytes <= most_bytes) return std::nullopt;
  return Error{Error::Kind::out_of_memory,
               "the critical path of a job needs all of its traces in memory, about " +
                   bytes_text(need_bytes, ByteUnits::decimal) + " of text, and at most half of the memory (" +
                   bytes_text(most_bytes, ByteUnits::decimal) +
                   ") is used. Choose the files of fewer ranks, or one trace"};
}

}  // namespace

Result<std::vector<std::shared_ptr<const Trace>>> read_traces(const NamedJob& job,
                                                              const ContainedTraces& contained,
                                                              const OpenOptions& options) {
  if (std::optional<Error> problem = size_problem(job, contained)) return std::move(*problem);
  std::vector<std::shared_ptr<const Trace>> traces;
  traces.reserve(job.files.size());
  for (const std::filesystem::path& file : job.files) {
    LoadProgress progress;
    Result<OpenedTrace> opened = open_trace(file, options, progress, {});
    if (!opened.ok()) return opened.error();
    traces.push_back(std::move(opened.value().trace));
  }
  return traces;
}

}  // namespace kino
