// `kinetoscope query`: SQL over traces and snapshots, without a display.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "app/cli/command_line/command.hpp"
#include "app/cli/command_line/option_groups.hpp"

namespace kino {

struct QueryCommand : Command {
  static constexpr CommandText kText{
      .name = "query",
      .synopsis = "FILE 'select ..'",
      .about = "Run SQL on traces and snapshots",
      .description = "Runs SQL on traces and snapshots and prints the result."};

  FilesArgument input;             ///< after finish(), excludes the SQL
  std::string sql;                 ///< the last argument if there is no sql_file; "-": standard input
  std::filesystem::path sql_file;  ///< empty: none
  std::string format = "table";
  LimitOption limit;
  double seconds = 60;
  std::uint64_t memory_mb = 1024;
  StrictOption strict;

  void declare(CLI::App& app) override;
  std::string finish() override;
  int run() const override;
};

}  // namespace kino
