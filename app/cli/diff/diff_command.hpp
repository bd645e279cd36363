// `kinetoscope diff`: compares two runs, and fails if a given condition is met.
#pragma once

#include <string>

#include "app/cli/command_line/command.hpp"
#include "app/cli/diff/diff_options.hpp"

namespace kino {

struct DiffCommand : Command {
  static constexpr CommandText kText{
      .name = "diff",
      .synopsis = "A B [--fail-if EXPR]",
      .about = "Compare two runs, and fail on a condition",
      .description = "Compares two runs: what changed by more than noise, and where the time went.",
      .usage_error = 1};

  DiffOptions options;

  void declare(CLI::App& app) override;
  std::string finish() override { return options.finish(); }
  int run() const override;
};

}  // namespace kino
