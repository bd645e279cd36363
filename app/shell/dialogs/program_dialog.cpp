#include "app/shell/dialogs/program_dialog.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "app/system/program_start.hpp"

namespace kino {
namespace {

std::string pattern_list() {
  std::string patterns;
  for (const std::string_view pattern : kRecordingPatterns) {
    if (!patterns.empty()) patterns += ' ';
    patterns += pattern;
  }
  return patterns;
}

DialogCommand save_command(std::string_view name, const std::string& program, const std::string& folder,
                           const DialogTexts& texts) {
  const std::string suggested = folder + texts.save_as;
  if (name == "kdialog") return {program, "--title", texts.title, "--getsavefilename", suggested};
  return {program,
          name == "yad" ? "--file" : "--file-selection",
          "--save",
          "--confirm-overwrite",
          "--title=" + texts.title,
          "--filename=" + suggested};
}

DialogCommand folder_command(std::string_view name, const std::string& program, const std::string& folder,
                             const DialogTexts& texts) {
  if (name == "kdialog") return {program, "--title", texts.title, "--getexistingdirectory", folder};
  return {program, name == "yad" ? "--file" : "--file-selection", "--directory", "--title=" + texts.title,
          "--filename=" + folder};
}

DialogCommand command_of(std::string_view name, const std::string& program, const std::string& folder,
                         const DialogTexts& texts) {
  if (!texts.save_as.empty()) return save_command(name, program, folder, texts);
  if (texts.folder) return folder_command(name, program, folder, texts);
  if (name == "kdialog") {
    return {program, "--title",     texts.title, "--multiple", "--separate-output", "--getopenfilename",
            folder,  pattern_list()};
  }
  if (name == "yad") {
    return {
        program, "--file", "--multiple", "--separator=\n", "--title=" + texts.title, "--filename=" + folder};
  }
  return {program,
          "--file-selection",
          "--multiple",
          "--separator=\n",
          "--title=" + texts.title,
          "--filename=" + folder,
          "--file-filter=" + texts.traces + " | " + pattern_list(),
          "--file-filter=" + texts.all_files + " | *"};
}

}  // namespace

std::optional<DialogCommand> find_dialog_program(std::string_view path_variable,
                                                 const std::filesystem::path& folder,
                                                 const DialogTexts& texts) {
  std::string start_folder = folder.string();
  if (!start_folder.empty() && !start_folder.ends_with('/')) start_folder += '/';
  // Search for the dialog of the running desktop first.
  const char* desktop = std::getenv("XDG_CURRENT_DESKTOP");
  const bool kde = desktop != nullptr && std::string_view(desktop).find("KDE") != std::string_view::npos;
  std::array<std::string_view, 4> names = {"zenity", "kdialog", "qarma", "yad"};
  if (kde) std::swap(names[0], names[1]);
  for (const std::string_view name : names) {
    if (const auto program = find_program(name, path_variable))
      return command_of(name, *program, start_folder, texts);
  }
  return std::nullopt;
}

std::vector<std::filesystem::path> paths_from_lines(std::string_view text) {
  std::vector<std::filesystem::path> paths;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with('/')) paths.emplace_back(line);
  }
  return paths;
}

DialogResult ask_program(const std::filesystem::path& folder, const DialogTexts& texts,
                         const std::stop_token& stop) {
  const char* path = std::getenv("PATH");
  const std::optional<DialogCommand> command =
      find_dialog_program(path != nullptr ? path : "", folder, texts);
  if (!command) return {};
  const std::optional<ProgramResult> end = run_for_output(*command, stop);
  if (!end) return {};
  if (end->stopped) return {.kind = DialogResult::Kind::cancelled, .files = {}};
  // 0: chosen, 1: canceled; other codes: the dialog could not be shown.
  if (end->exit_code != 0 && end->exit_code != 1) return {};
  DialogResult outcome{.kind = DialogResult::Kind::cancelled, .files = {}};
  if (end->exit_code == 0) outcome.files = paths_from_lines(end->output);
  if (!outcome.files.empty()) outcome.kind = DialogResult::Kind::chosen;
  return outcome;
}

}  // namespace kino
