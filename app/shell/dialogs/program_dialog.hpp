// A file dialog that an installed program shows: zenity, kdialog, qarma or yad.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/system/dialog_outcome.hpp"

namespace kino {

/// The program and its arguments, the program's full path first.
using DialogCommand = std::vector<std::string>;

/// The first dialog program in the folders of `path_variable` (as in $PATH), told to start in `folder`.
std::optional<DialogCommand> find_dialog_program(std::string_view path_variable,
                                                 const std::filesystem::path& folder,
                                                 const DialogTexts& texts);

/// Runs the dialog without a shell and waits for the person; for a thread of its own. `unavailable` when none
/// is installed or it cannot run. Returns within 100 ms of a stop request, with the program ended.
DialogOutcome ask_program(const std::filesystem::path& folder, const DialogTexts& texts,
                          const std::stop_token& stop);

/// One absolute path a line, as the programs print them.
std::vector<std::filesystem::path> paths_from_lines(std::string_view text);

}  // namespace kino
