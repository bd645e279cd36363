// `kinetoscope watch`: prints a summary of each trace and snapshot that a run writes to a folder.
#pragma once

#include <cstddef>

#include "app/cli/command_line/command.hpp"
#include "app/cli/command_line/option_groups.hpp"

namespace kino {

struct WatchCommand : Command {
  static constexpr CommandText kText{
      .name = "watch",
      .synopsis = "DIR",
      .about = "Print a summary of each file that a run writes",
      .description = "Prints a summary of each trace and snapshot that a run writes to a folder."};

  FileArgument folder;
  bool all_files = false;      ///< whether to print the files that exist at the start
  std::size_t most_files = 0;  ///< number of printed files after which watching ends; 0: no limit
  bool json = false;

  void declare(CLI::App& app) override;
  /// Reports files that cannot be opened on stderr, and continues. Returns 1 if the folder does not exist or
  /// stdout cannot be written.
  int run() const override;
};

}  // namespace kino
