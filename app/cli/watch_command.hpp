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
      .description = "Prints a summary of each trace and snapshot in a folder as it is written."};

  FileArgument folder;
  bool all_files = false;      ///< start with the existing files
  std::size_t most_files = 0;  ///< stop after this many files; 0: never
  bool json = false;

  void declare(CLI::App& app) override;
  /// Reports files that cannot be opened on stderr, and continues. Returns 1 if the folder does not exist or
  /// stdout is closed.
  int run() const override;
};

}  // namespace kino
