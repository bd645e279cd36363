// `kinetoscope table`: any table of a file as text, CSV, JSON or Markdown, without a display.
#pragma once

#include <string>

#include "app/cli/command_line/command.hpp"
#include "app/cli/command_line/option_groups.hpp"
#include "app/cli/command_line/table_command_options.hpp"

namespace kino {

struct TableCommand : Command {
  static constexpr CommandText kText{.name = "table",
                                     .synopsis = "NAME FILE",
                                     .about = "Print a table: kernels, operators, live memory, ...",
                                     .description = "Prints a table of a trace, snapshot or job."};

  TableCommandOptions table;
  StrictOption strict;

  void declare(CLI::App& app) override;
  std::string finish() override { return table.finish(); }
  /// Returns the help on the columns of the named table.
  std::string more_help() const override;
  int run() const override;
};

}  // namespace kino
