#include "app/cli/verdict/opened_run.hpp"

#include <utility>

#include "loaders/formats/open.hpp"

namespace kino {

const DamageLog& OpenedRun::damage() const {
  static const DamageLog kNone;
  if (const auto* const trace = as<OpenedTrace>()) return trace->trace->damage;
  if (const auto* const snapshot = as<OpenedSnapshot>()) return snapshot->snapshot->damage;
  if (const auto* const hang = as<OpenedHang>()) return hang->hang->damage;
  return kNone;
}

Result<OpenedRun> open_run(const std::filesystem::path& path, OpenOptions options) {
  ContainedTraces contained;
  options.choices = &contained;
  LoadProgress progress;
  Result<OpenedFile> opened = open_file(path, options, progress, {});
  if (opened.ok()) {
    return std::visit([&](auto& content) { return OpenedRun{path, std::move(content)}; }, opened.value());
  }
  if (opened.error().kind != Error::Kind::several_traces) return opened.error();
  options.choices = nullptr;
  NamedJobs named = read_jobs(options, contained);
  if (named.jobs.empty()) return opened.error();
  const std::size_t others = named.jobs.size() - 1;
  return OpenedRun{path, OpenedJob{std::move(named.jobs.front()), others, std::move(named.problems)}};
}

}  // namespace kino
