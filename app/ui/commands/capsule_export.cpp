#include "app/ui/commands/capsule_export.hpp"

#include "app/system/file_downloads.hpp"
#include "app/system/window_talk.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "app/ui/text/texts.hpp"
#include "core/base/time_text.hpp"

namespace kino {

void CapsuleExport::save(CapsuleRequest wish) {
  if (!pack_) {
    show_toast(tr(Text::pack_needs_whole), true);
    return;
  }
  if (packed_.running()) return;
  const char* const middle = wish.range ? ".part" : "";
  const auto pack = [this, wish = std::move(wish)](const std::filesystem::path& chosen) mutable {
    show_toast(filled(Text::trim_running, {chosen.filename().string()}), false);
    wish.out = chosen;
    packed_.start(pool_, wake_, [pack = pack_, wish = std::move(wish)](const std::stop_token& stop) {
      return std::make_shared<Packed>(Packed{wish, pack(wish, stop)});
    });
  };
  // If the packed file is itself a capsule, drop its extension, so that the suggested name does not contain
  // ".kino" twice.
  const std::filesystem::path origin =
      file_.extension() == ".kino" ? std::filesystem::path(file_).replace_extension() : file_;
  request_save_path(suggested_name(origin, middle, ".kino"), asker_, pack);
}

void CapsuleExport::update() {
  const std::shared_ptr<Packed>* done = packed_.poll();
  if (done == nullptr && !packed_.failed()) return;
  if (done == nullptr) {
    show_toast(filled(Text::table_not_saved, {tr(Text::trim_no_memory)}), true);
  } else if (!(*done)->outcome.ok()) {
    show_toast(filled(Text::table_not_saved, {in_language((*done)->outcome.error().what)}), true);
  } else {
    const CapsuleResult& outcome = (*done)->outcome.value();
    const std::string events = grouped(outcome.events);
    const std::string bytes = text_from_bytes(static_cast<double>(outcome.bytes));
    const std::string file = report_saved((*done)->wish.out);
    const auto& replaced = outcome.replaced;
    show_toast((*done)->wish.redacted
                   ? filled(Text::pack_saved_redacted,
                            {events, bytes, file, grouped(replaced[0]), grouped(replaced[1]),
                             grouped(replaced[2]), grouped(replaced[3])})
                   : filled(Text::pack_saved, {events, bytes, file}),
               false);
  }
  packed_.reset();
}

}  // namespace kino
