// `kinetoscope watch`: prints a summary of each trace and snapshot in a folder when a run writes it.
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
      .description = "Prints a summary of each trace and snapshot in a folder as it is written."};

  FileArgument folder;
  bool all_files = false;      ///< begin with existing files
  std::size_t most_files = 0;  ///< stop after this many; 0: never
  bool json = false;

  void declare(CLI::App& app) override;
  /// Files that cannot be opened are reported on stderr, and watching continues. Returns 1 if the folder does
  /// not exist, or stdout is closed.
  int run() const override;
};

}  // namespace kino
