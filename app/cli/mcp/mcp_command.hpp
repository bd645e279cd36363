// `kinetoscope mcp`: the Model Context Protocol on standard input and output, one message per line.
#pragma once

#include "app/cli/command_line/command.hpp"

namespace kino {

struct McpCommand : Command {
  static constexpr CommandText kText{
      .name = "mcp",
      .synopsis = "",
      .about = "Let an assistant query traces (Model Context Protocol)",
      .description = "Speaks the Model Context Protocol on standard input and output.",
      .draws = true};

  void declare(CLI::App& app) override;
  /// Answers until the input ends.
  int run() const override;
};

}  // namespace kino
