// Options of the window, which opens if the command line contains no command.
#pragma once

#include <filesystem>
#include <string>

#include "app/cli/command_line/option_groups.hpp"
#include "app/cli/command_line/picture_options.hpp"

namespace kino {

struct WindowOptions {
  FilesArgument input;
  PictureOptions picture;
  std::filesystem::path state_file;  ///< file for the state of the window, for UI tests; empty: none
  bool compares = false;             ///< compare the two files
  bool watches = false;              ///< add new files in the folder of the first file
  bool new_window = false;           ///< open a window even if one is open
  bool frame_report = false;         ///< print the cost of frames at the end

  void add_to(CLI::App& app);
  /// Derives members from other members. Returns the problem with the options; empty if there is none.
  std::string finish();
};

}  // namespace kino
