// The file dialog of an installed program: zenity, kdialog, qarma or yad.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/system/dialog_outcome.hpp"

namespace kino {

/// Full path of the program, followed by its arguments.
using DialogCommand = std::vector<std::string>;

/// Returns the command line of the first dialog program found in `path_variable` (a list of folders like
/// $PATH). The dialog starts in `folder`.
std::optional<DialogCommand> find_dialog_program(std::string_view path_variable,
                                                 const std::filesystem::path& folder,
                                                 const DialogTexts& texts);

/// Runs the dialog without a shell and waits for the user; requires a thread of its own. Returns
/// `unavailable` if no such program is installed or the dialog cannot be shown. A stop request ends the
/// program within 100 ms.
DialogResult ask_program(const std::filesystem::path& folder, const DialogTexts& texts,
                         const std::stop_token& stop);

/// Splits the output of the programs, one absolute path per line.
std::vector<std::filesystem::path> paths_from_lines(std::string_view text);

}  // namespace kino
