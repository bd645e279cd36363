// `kinetoscope pack`: writes traces and snapshots as a capsule, one small file that opens like them.
#pragma once

#include <filesystem>
#include <string>

#include "app/cli/command_line/command.hpp"
#include "app/cli/command_line/option_groups.hpp"
#include "loaders/formats/packing.hpp"

namespace kino {

struct PackCommand : Command {
  static constexpr CommandText kText{
      .name = "pack",
      .synopsis = "FILE... OUT.kino",
      .about = "Pack traces and snapshots into one small file to send",
      .description = "Packs traces and snapshots into a capsule, a small file that opens like them."};

  FilesArgument input;           ///< after finish(), excludes the capsule
  std::filesystem::path output;  ///< the last of the given files
  RangeOption range;
  PackedArguments arguments = PackedArguments::all;
  bool redact = false;
  std::filesystem::path note;  ///< text file that is shown when the capsule opens; empty: none
  StrictOption strict;

  void declare(CLI::App& app) override;
  std::string finish() override;
  int run() const override;
};

}  // namespace kino
