// Options of `kinetoscope table`: the table, the part of a file, and the output format.
#pragma once

#include <filesystem>
#include <string>

#include "app/cli/command_line/option_groups.hpp"
#include "core/tables/table_request.hpp"

namespace kino {

struct TableCommandOptions {
  TableRequest request;
  FilesArgument input;
  JobOption job;
  std::filesystem::path capture;  ///< --capture; empty: none

  void add_to(CLI::App& app);
  /// Copies the parsed values to the request. Returns the problem with the options; empty if there is none.
  std::string finish();

 private:
  void add_selection_to(CLI::App& app);
  void add_iterations_to(CLI::App& app);
  void add_settings_to(CLI::App& app);

  // The parsed values, which finish() copies to the request.
  RangeOption range_;
  LimitOption limit_;
  MomentOptions moment_;
};

}  // namespace kino
