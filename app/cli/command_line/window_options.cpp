#include "app/cli/command_line/window_options.hpp"

#include <CLI/CLI.hpp>

namespace kino {

void WindowOptions::add_to(CLI::App& app) {
  input.add_to(app, "Traces, snapshots and folders to open, each in a tab")->required(false);
  app.add_option("--state-file", state_file, "Write the state of the window to this file, for tests")
      ->type_name("FILE");
  app.add_flag("--diff", compares, "Compare the two FILEs");
  app.add_flag(
      "--watch", watches,
      "Watch the first FILE if it is a folder, otherwise its folder, and add files that a run writes");
  app.add_flag("--frame-report", frame_report, "Print the processor time per frame at the end");
  app.add_flag("--new-window", new_window, "Open a new window even if one is open");
  picture.add_to(app, "Size of the window");
}

std::string WindowOptions::finish() {
  new_window = new_window || compares || watches;
  watches = watches && !input.files.empty();
  return compares && input.files.size() != 2 ? "--diff needs two files" : "";
}

}  // namespace kino
