#include "app/cli/program/window_command.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <vector>

#include "app/cli/command_line/command_output.hpp"
#include "app/cli/info_command.hpp"
#include "app/cli/serve/serve_hint.hpp"
#include "app/cli/watch_command.hpp"
#include "app/shell/window.hpp"

namespace kino {

void WindowCommand::declare(CLI::App& app) {
  window.add_to(app);
  opening.add_to(app, "default: the last choice in the window");
}

int WindowCommand::run() const {
  if (const std::optional<int> code = run_window(window, opening)) return *code;
  const std::vector<std::filesystem::path>& files = window.input.files;
  if (window.watches || files.empty()) complain(serve_hint(files, ssh_destination()));
  if (window.watches) {
    WatchCommand watch;
    watch.opening = opening;
    watch.folder.file = files.front();
    return watch.run();
  }
  int worst = files.empty() ? 1 : 0;
  std::vector<std::filesystem::path> shown;
  for (const std::filesystem::path& file : files) {
    InfoCommand info;
    info.opening = opening;
    info.input.files = {file};
    const int code = info.run();
    if (code == 0) shown.push_back(file);
    worst = std::max(worst, code);
  }
  if (!shown.empty()) {
    std::fflush(stdout);  // the hint follows the summaries if both outputs are the same file
    complain(serve_hint(shown, ssh_destination()));
  }
  return worst;
}

}  // namespace kino
