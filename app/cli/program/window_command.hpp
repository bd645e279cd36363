// The program without a command: opens the window or, without a display, prints summaries of the files.
#pragma once

#include <string>

#include "app/cli/command_line/command.hpp"
#include "app/cli/command_line/window_options.hpp"

namespace kino {

struct WindowCommand : Command {
  static constexpr CommandText kText{
      .name = "",
      .synopsis = "[FILE...]",
      .about = "Open a window",
      .description = "A viewer for PyTorch profiler traces and CUDA memory snapshots.",
      .draws = true};

  WindowOptions window;

  void declare(CLI::App& app) override;
  std::string finish() override { return window.finish(); }
  int run() const override;
};

}  // namespace kino
