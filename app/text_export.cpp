#include "app/text_export.hpp"

#include <imgui.h>

#include "app/file_beside.hpp"
#include "app/texts.hpp"

namespace kino {
void TextExport::copy(Make make) {
  export_.start(pool_, wake_, [make = std::move(make)](const std::stop_token& stop) {
    return Exported{false, make(stop), {}};
  });
}

void TextExport::save(Make make, std::string middle, std::string extension) {
  export_.start(pool_, wake_,
                [make = std::move(make), middle = std::move(middle), extension = std::move(extension),
                 file = file_](const std::stop_token& stop) {
                  const auto written = write_file_beside(file, middle, extension, make(stop));
                  if (!written.ok()) return Exported{true, {}, written.error().what};
                  return Exported{true, written.value().string(), {}};
                });
}

void TextExport::update() {
  if (!export_.poll()) return;
  const Exported* done = export_.value();
  if (done == nullptr) return;
  if (!done->problem.empty()) {
    message_ = filled(Text::table_not_saved, {done->problem});
  } else if (done->saved) {
    message_ = filled(Text::table_saved, {done->text});
  } else {
    ImGui::SetClipboardText(done->text.c_str());
    message_ = tr(Text::copied);
  }
  told_at_ = ImGui::GetTime();
  export_.reset();
}

bool TextExport::tells() const { return ImGui::GetTime() - told_at_ < kToldSeconds; }

}  // namespace kino
