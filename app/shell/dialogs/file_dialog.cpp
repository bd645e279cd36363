#include "app/shell/dialogs/file_dialog.hpp"

#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/shell/dialogs/program_dialog.hpp"
#include "app/system/portal_dialog.hpp"
#include "app/ui/text/texts.hpp"

namespace kino {
namespace {

bool allowed(std::string_view way) {
  const char* only = std::getenv("KINETOSCOPE_FILE_DIALOG");
  return only == nullptr || *only == '\0' || way == only;
}

std::filesystem::path start_folder(const std::filesystem::path& wanted) {
  std::error_code code;
  if (std::filesystem::is_directory(wanted, code)) return wanted;
  std::filesystem::path here = std::filesystem::current_path(code);
  return code ? "/" : here;
}

}  // namespace

FileDialog::FileDialog(std::function<void()> wake) : wake_(wake), browser_(std::move(wake)) {}

void FileDialog::open(const std::filesystem::path& folder) {
  if (busy()) return;
  folder_ = start_folder(folder);
  start({tr(Text::files_dialog_title), tr(Text::files_traces), tr(Text::files_all)});
}

void FileDialog::save(const std::filesystem::path& suggested) {
  if (busy()) return;
  folder_ = start_folder(suggested.parent_path());
  start({tr(Text::files_save_title), tr(Text::files_traces), tr(Text::files_all),
         suggested.filename().string()});
}

void FileDialog::start(DialogTexts texts) {
  asking_ = true;
  save_as_ = texts.save_as;
  asker_ = std::jthread([this, start = folder_, texts = std::move(texts)](const std::stop_token& stop) {
    ask(start, texts, stop);
  });
}

void FileDialog::ask(const std::filesystem::path& folder, const DialogTexts& texts,
                     const std::stop_token& stop) {
  DialogResult outcome;
  try {
    if (allowed("portal")) outcome = call_portal(folder, texts, stop);
    if (outcome.kind == DialogResult::Kind::unavailable && allowed("program"))
      outcome = ask_program(folder, texts, stop);
  } catch (const std::exception&) {
    outcome = {};  // fall back to the built-in browser
  }
  {
    const std::lock_guard lock(mutex_);
    outcome_ = std::move(outcome);
  }
  wake_();
}

std::vector<std::filesystem::path> FileDialog::draw(const Theme& theme) {
  std::optional<DialogResult> outcome;
  if (asking_) {
    const std::lock_guard lock(mutex_);
    outcome = std::exchange(outcome_, std::nullopt);
  }
  if (outcome) {
    asking_ = false;
    if (outcome->kind == DialogResult::Kind::chosen) return std::move(outcome->files);
    if (outcome->kind == DialogResult::Kind::unavailable) browser_.show(folder_, save_as_);
  }
  return browser_.draw(theme);
}

}  // namespace kino
