// `kinetoscope info`: a summary of a file, as text or as JSON.
#pragma once

#include <string>

#include "app/cli/command_line/command.hpp"
#include "app/cli/command_line/option_groups.hpp"
#include "loaders/formats/contained_traces.hpp"

namespace kino {

/// Lists the traces in an archive or folder, one line each, with sizes.
std::string choices_text(const ContainedTraces& choices);

struct InfoCommand : Command {
  static constexpr CommandText kText{
      .name = "info",
      .synopsis = "FILE [--json]",
      .about = "Print a summary of a file, or of a folder of ranks",
      .description =
          "Prints a summary of a trace, a snapshot, or a job in a folder with one trace per rank."};

  FilesArgument input;
  StrictOption strict;
  bool json = false;
  bool keep = false;       ///< store the trace in the cache
  bool all_ranks = false;  ///< list all ranks of a job

  void declare(CLI::App& app) override;
  int run() const override;
};

}  // namespace kino
