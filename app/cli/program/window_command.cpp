#include "app/cli/program/window_command.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "app/cli/command_line/command_output.hpp"
#include "app/cli/info_command.hpp"
#include "app/cli/watch_command.hpp"
#include "app/shell/window.hpp"

namespace kino {

void WindowCommand::declare(CLI::App& app) {
  window.add_to(app);
  opening.add_to(app, "default: the last choice in the window");
}

int WindowCommand::run() const {
  if (const std::optional<int> code = run_window(window, opening)) return *code;
  complain("`kinetoscope serve FILE` shows the window in a browser, also on another machine");
  const std::vector<std::filesystem::path>& files = window.input.files;
  if (window.watches) {
    WatchCommand watch;
    watch.opening = opening;
    watch.folder.file = files.front();
    return watch.run();
  }
  int worst = files.empty() ? 1 : 0;
  for (const std::filesystem::path& file : files) {
    InfoCommand info;
    info.opening = opening;
    info.input.files = {file};
    worst = std::max(worst, info.run());
  }
  return worst;
}

}  // namespace kino
