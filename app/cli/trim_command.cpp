#include "app/cli/trim_command.hpp"

#include <atomic>
#include <cstdio>
#include <system_error>

#include <CLI/CLI.hpp>

#include "app/cli/command_line/command_output.hpp"
#include "app/cli/command_line/cut_file.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"
#include "loaders/bytes/load_progress.hpp"
#include "loaders/bytes/trace_path.hpp"
#include "loaders/cache/open_options.hpp"
#include "loaders/formats/open.hpp"

namespace kino {

void TrimCommand::declare(CLI::App& app) {
  input.add_to(app, "The trace to read");
  output.add_to(app, "The trace to write, as Kineto JSON; compressed if its name ends in .gz");
  range.add_to(app, "Time range since the start of the trace, such as 10ms..1.5s; ns without a unit")
      ->required();
  strict.add_to(app);
  opening.add_to(app);
  app.footer(
      "Events that overlap the range are kept completely, with the work they launched, their launches, their "
      "flows and all metadata. The text is streamed and never held in memory.");
}

int TrimCommand::run() const {
  if (folder_missing(output.file)) return 1;
  const std::filesystem::path& path = input.file;
  std::error_code code;
  if (std::filesystem::equivalent(split_trace_path(path).file, output.file, code)) {
    return fail_with({Error::Kind::not_a_file, "the trimmed trace cannot replace the trace itself"},
                     output.file);
  }
  LoadProgress progress;
  const Result<OpenedTrace> opened = open_trace(path, opening.open_options(), progress, {});
  if (!opened.ok()) return fail_with(opened.error(), path);
  const Trace& trace = *opened.value().trace;
  if (rejects_truncated(trace.damage, path.string(), strict.on)) return 1;
  const TimeRange part = *range.range;
  if (const auto error = outside_trace(part, trace.range)) return fail_with(*error, path);
  std::atomic<std::uint64_t> bytes_read{0};
  const Result<TrimReport> written = opened.value().details->write_part(part, output.file, bytes_read, {});
  if (!written.ok()) return fail_with(written.error(), output.file);
  const TrimReport& report = written.value();
  std::printf("%s of %s events, %s\n", grouped(report.events).c_str(), grouped(report.of_events).c_str(),
              text_from_bytes(report.bytes).c_str());
  if (report.unreadable > 0) {
    const char* const what = report.unreadable == 1 ? "part of the trace is not JSON and was skipped"
                                                    : "parts of the trace are not JSON and were skipped";
    std::fprintf(stderr, "kinetoscope: %s %s: %s\n", grouped(report.unreadable).c_str(), what,
                 escaped(path.string()).c_str());
  }
  return 0;
}

}  // namespace kino
