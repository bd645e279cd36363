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

/// Returns the command line of a dialog program found in `path_variable` (a list of folders like $PATH);
/// nullopt if there is none. On KDE, kdialog is preferred; elsewhere, zenity. The dialog starts in `folder`.
std::optional<DialogCommand> find_dialog_program(std::string_view path_variable,
                                                 const std::filesystem::path& folder,
                                                 const DialogTexts& texts);

/// Runs the dialog without a shell and waits for the user; call this on a separate thread. Returns
/// `unavailable` if no such program is installed or the dialog cannot be shown. A stop request sends SIGTERM
/// to the program within 100 ms.
DialogResult ask_program(const std::filesystem::path& folder, const DialogTexts& texts,
                         const std::stop_token& stop);

/// Returns the absolute paths in the output of a dialog program, which has one path per line.
std::vector<std::filesystem::path> paths_from_lines(std::string_view text);

}  // namespace kino
