// `kinetoscope export`: the tables of a trace as Parquet files or as an SQLite file.
#pragma once

#include "app/shell/settings/command_line.hpp"

namespace kino {

/// Loads and writes; the exit code. An error is printed on stderr as one sentence.
int run_export_command(const CommandLine& command);

}  // namespace kino
