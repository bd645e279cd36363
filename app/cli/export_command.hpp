// `kinetoscope export`: the tables of a trace as Parquet files or as an SQLite file.
#pragma once

#include "app/cli/command_line/command.hpp"
#include "app/cli/command_line/option_groups.hpp"

namespace kino {

struct ExportCommand : Command {
  static constexpr CommandText kText{
      .name = "export",
      .synopsis = "FILE OUT [--parquet]",
      .about = "Write all tables as SQLite or Parquet files",
      .description = "Writes the tables of a trace to an SQLite file, or to Parquet files."};

  FileArgument input;
  OutputArgument output;
  bool parquet = false;  ///< the output is a folder with one file per table
  StrictOption strict;

  void declare(CLI::App& app) override;
  int run() const override;
};

}  // namespace kino
