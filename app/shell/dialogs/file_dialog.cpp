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

void FileDialog::open(const std::filesystem::path& folder, Text title) {
  if (busy()) return;
  folder_ = start_folder(folder);
  const bool usual = title == Text::files_dialog_title;
  start({tr(title), tr(Text::files_traces), tr(Text::files_all)},
        {.title = usual ? Text::files_title : title});
}

void FileDialog::open_folder(const std::filesystem::path& folder, Text choose) {
  if (busy()) return;
  folder_ = start_folder(folder);
  DialogTexts texts{tr(Text::files_folder_title), tr(Text::files_traces), tr(Text::files_all)};
  texts.folder = true;
  start(std::move(texts), {.title = Text::files_folder_title, .choose = choose, .files = false});
}

void FileDialog::save(const std::filesystem::path& suggested) {
  if (busy()) return;
  folder_ = start_folder(suggested.parent_path());
  const std::string name = suggested.filename().string();
  start({tr(Text::files_save_title), tr(Text::files_traces), tr(Text::files_all), name},
        {.title = Text::files_save_title, .save_as = name});
}

void FileDialog::confine(std::function<bool(const std::filesystem::path&)> may_enter,
                         std::filesystem::path first) {
  may_enter_ = std::move(may_enter);
  first_ = std::move(first);
  browser_.confine(may_enter_);
}

void FileDialog::start(DialogTexts texts, FileWish wish) {
  if (may_enter_) return browser_.show(may_enter_(folder_) ? folder_ : first_, std::move(wish));
  asking_ = true;
  wish_ = std::move(wish);
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
    if (outcome->kind == DialogResult::Kind::unavailable) browser_.show(folder_, wish_);
  }
  return browser_.draw(theme);
}

}  // namespace kino
