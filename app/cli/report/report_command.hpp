// `kinetoscope report`: a trace, allocator snapshot, job or hung job as one HTML page, without a display.
#pragma once

#include "app/cli/command_line/command.hpp"
#include "app/cli/command_line/option_groups.hpp"

namespace kino {

struct ReportCommand : Command {
  static constexpr CommandText kText{
      .name = "report",
      .synopsis = "FILE OUT.html",
      .about = "Write a summary, tables and pictures as one HTML page",
      .description = "Writes a summary of a trace, snapshot or job as one HTML page.",
      .draws = true};

  FileArgument input;
  OutputArgument output;
  JobOption job;
  StrictOption strict;

  void declare(CLI::App& app) override;
  /// Writes the page. If the timeline cannot be drawn, the page contains the reason instead.
  int run() const override;
};

}  // namespace kino
