// `kinetoscope index`: writes the index and the digest of each trace of a job, so that the job opens faster.
#pragma once

#include <filesystem>

#include "app/cli/command_line/command.hpp"
#include "app/cli/command_line/option_groups.hpp"

namespace kino {

struct IndexCommand : Command {
  static constexpr CommandText kText{
      .name = "index",
      .synopsis = "FILE... [--slurm]",
      .about = "Write per-rank index files so that large jobs open fast",
      .description = "Writes per-rank index files so that large jobs open fast."};

  FilesArgument input;
  std::filesystem::path folder;  ///< where to write the files; empty: next to each trace
  bool digest_only = false;
  bool slurm = false;  ///< print a Slurm array job instead of indexing

  void declare(CLI::App& app) override;
  int run() const override;
};

}  // namespace kino
