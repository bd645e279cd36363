// `kinetoscope trim`: writes the part of a trace that overlaps a time range as a separate trace.
#pragma once

#include "app/cli/command_line/command.hpp"
#include "app/cli/command_line/option_groups.hpp"

namespace kino {

struct TrimCommand : Command {
  static constexpr CommandText kText{
      .name = "trim",
      .synopsis = "FILE OUT --range A..B",
      .about = "Write part of a trace as a smaller trace",
      .description = "Writes the part of a trace in a time range as a smaller trace."};

  FileArgument input;
  OutputArgument output;
  RangeOption range;
  StrictOption strict;

  void declare(CLI::App& app) override;
  int run() const override;
};

}  // namespace kino
