#include "app/ui/widgets/text_export.hpp"

#include <imgui.h>

#include "app/system/atomic_file.hpp"
#include "app/system/file_downloads.hpp"
#include "app/system/window_talk.hpp"
#include "app/ui/text/texts.hpp"

namespace kino {
void TextExport::copy(Make make) {
  export_.start(pool_, wake_, [make = std::move(make)](const std::stop_token& stop) {
    Result<std::string> text = make(stop);
    if (!text.ok()) return Exported{false, {}, text.error().what};
    return Exported{false, std::move(text).value(), {}};
  });
}

void TextExport::save(Make make, std::string_view middle, std::string_view extension) {
  request_save_path(
      suggested_name(file_, middle, extension), asker_,
      [this, make = std::move(make)](const std::filesystem::path& chosen) { save_as(chosen, make); });
  wake_();
}

void TextExport::save_as(const std::filesystem::path& chosen, Make make) {
  export_.start(pool_, wake_, [make = std::move(make), chosen](const std::stop_token& stop) {
    const Result<std::string> text = make(stop);
    if (!text.ok()) return Exported{true, {}, text.error().what};
    if (const auto error = write_file_atomically(chosen, text.value(), Durability::power_loss))
      return Exported{true, {}, error->what};
    return Exported{true, chosen.string(), {}};
  });
}

void TextExport::download_picture(const PictureArea& area, std::string_view middle) {
  const std::string name = suggested_name(file_, middle, ".png").filename().string();
  FileDownloads* const downloads = file_downloads();
  if (downloads == nullptr) return show_toast(filled(Text::serve_no_saving, {name}), true);
  downloads->add_picture(name, area);
  show_toast(filled(Text::table_saved, {name}), false);
}

bool TextExport::update() {
  const Exported* done = export_.poll();
  if (done == nullptr && !export_.failed()) return false;
  failed_ = done == nullptr || !done->problem.empty();
  if (done == nullptr) {
    message_ = tr(Text::not_enough_memory);
  } else if (!done->problem.empty()) {
    message_ = filled(Text::table_not_saved, {in_language(done->problem)});
  } else if (done->saved) {
    message_ = filled(Text::table_saved, {report_saved(done->text)});
  } else {
    ImGui::SetClipboardText(done->text.c_str());
    message_ = tr(Text::copied);
  }
  shown_until_ = Clock::now() + kMessageTime;
  request_frame_after(std::chrono::duration<double>(kMessageTime).count());
  export_.reset();
  return true;
}

bool TextExport::tells() const { return Clock::now() < shown_until_; }

}  // namespace kino
