#include "app/system/source_editor.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

#include "app/system/enough_memory.hpp"
#include "app/system/program_start.hpp"

namespace kino {
namespace {

/// Syntax of the argument with which an editor opens a line.
enum class LineStyle : std::uint8_t { plus, colon, goto_colon, option, terminal };

struct KnownEditors {
  LineStyle style;
  std::string_view names;
};

constexpr std::array kEditors = {
    KnownEditors{LineStyle::goto_colon, "code code-insiders codium cursor"},
    KnownEditors{LineStyle::colon, "subl zed zeditor"},
    KnownEditors{LineStyle::plus, "gvim gedit gnome-text-editor emacs emacsclient"},
    KnownEditors{LineStyle::option, "mousepad kate pycharm"},
    KnownEditors{LineStyle::terminal, "vi vim nvim nano ed micro hx helix mcedit joe editor sensible-editor"},
};

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

/// Returns the syntax that the program uses, by its name; nullopt if unknown.
std::optional<LineStyle> style_of(std::string_view program) {
  if (const auto slash = program.rfind('/'); slash != program.npos) program.remove_prefix(slash + 1);
  for (const KnownEditors& editors : kEditors) {
    const std::vector<std::string> names = split_words(editors.names);
    if (std::ranges::find(names, program) != names.end()) return editors.style;
  }
  return std::nullopt;
}

bool in_terminal(const std::vector<std::string>& words) {
  if (style_of(words.front()) == LineStyle::terminal) return true;
  return std::ranges::any_of(words, [](const std::string& word) {
    return word == "-nw" || word == "-t" || word == "-tty" || word == "--tty" || word == "--no-window-system";
  });
}

bool start_editor(const std::string& file, std::int64_t line, const std::stop_token& stop) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return false;
  const char* wanted = std::getenv("VISUAL");
  if (wanted == nullptr || *wanted == '\0') wanted = std::getenv("EDITOR");
  std::vector<std::string> command = editor_command(wanted != nullptr ? wanted : "", file, line);
  if (!command.front().starts_with('/')) {
    const auto program = find_program(command.front());
    if (!program) return false;
    command.front() = *program;
  }
  return run_program(command, stop);
}

}  // namespace

bool is_source_path(std::string_view file) {
  constexpr std::array<std::string_view, 12> kExtensions{".py", ".pyi", ".pyx", ".c",   ".cc",  ".cpp",
                                                         ".h",  ".hpp", ".cu",  ".cuh", ".cxx", ".inl"};
  if (!file.starts_with('/') || file.find('\0') != file.npos) return false;
  return std::ranges::any_of(kExtensions, [&](std::string_view end) { return file.ends_with(end); });
}

std::vector<std::string> editor_command(std::string_view editor, const std::string& file, std::int64_t line) {
  std::vector<std::string> words = split_words(editor);
  if (words.empty() || in_terminal(words)) return {"xdg-open", file};
  const std::string number = std::to_string(line);
  if (const std::optional<LineStyle> style = style_of(words.front()); style && line > 0) {
    switch (*style) {
      case LineStyle::plus:
        words.push_back("+" + number);
        break;
      case LineStyle::option:
        words.insert(words.end(), {"--line", number});
        break;
      case LineStyle::goto_colon:
        words.insert(words.end(), {"--goto", file + ":" + number});
        return words;
      case LineStyle::colon:
        words.push_back(file + ":" + number);
        return words;
      case LineStyle::terminal:
        break;
    }
  }
  words.push_back(file);
  return words;
}

void SourceEditor::open(const std::string& file, std::int64_t line) {
  worker_.request_stop();
  failed_ = std::make_shared<std::atomic<bool>>(false);
  worker_ = std::jthread([file, line, failed = failed_, wake = wake_](const std::stop_token& stop) {
    bool started = false;
    run_catching_bad_alloc([&] { started = is_source_path(file) && start_editor(file, line, stop); });
    if (started) return;
    *failed = true;
    wake();
  });
}

}  // namespace kino
