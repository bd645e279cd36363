// What a panel asks of the window it is shown in: where to save something, and to say a sentence to the
// person.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kino {

/// A panel has something to write, and the person says where.
struct SaveQuestion {
  std::filesystem::path suggested;  ///< a free name
  std::function<void(const std::filesystem::path&)> chosen;
};

/// Asks as soon as no other dialog is open; of several questions the newest. `chosen` is called in a later
/// frame, unless the person cancels or `asker` is gone by then. UI thread only.
void ask_where_to_save(std::filesystem::path suggested, std::weak_ptr<const void> asker,
                       std::function<void(const std::filesystem::path&)> chosen);
/// For the one who has the dialog.
std::optional<SaveQuestion> take_save_question();

struct Told {
  std::string sentence;
  bool problem = false;
};
/// Says it at the bottom of the window for a while. UI thread only.
void tell_person(std::string sentence, bool problem);
/// For the one who shows it: what was told since the last call.
std::optional<Told> take_told();

/// A name that is free, for what is made of a trace: "<trace's name><middle><extension>" in the trace's
/// folder, or in the home folder when nothing can be written there.
std::filesystem::path suggested_name(const std::filesystem::path& trace_path, std::string_view middle,
                                     std::string_view extension);

}  // namespace kino
