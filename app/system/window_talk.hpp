// Requests of panels to their window: let the user choose a path to save to, or show a toast.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kino {

/// A panel's request for a path to save to.
struct SaveRequest {
  std::filesystem::path suggested;  ///< suggested path, which does not exist yet
  std::function<void(const std::filesystem::path&)> chosen;
};

/// Opens a dialog for the path as soon as no other dialog is open. A newer request replaces an older one.
/// `chosen` is called in a later frame, unless the user cancels or `asker` has been destroyed. UI thread
/// only.
void request_save_path(std::filesystem::path suggested, std::weak_ptr<const void> asker,
                       std::function<void(const std::filesystem::path&)> chosen);
/// For the owner of the dialog: returns the newest request since the last call; nullopt if there is none.
std::optional<SaveRequest> take_save_request();

struct Told {
  std::string sentence;
  bool problem = false;
};
/// Shows a sentence at the bottom of the window: for a while or, if it reports a `problem`, until it is
/// closed or replaced. UI thread only.
void show_toast(std::string sentence, bool problem);
/// For the owner of the toast: returns the newest sentence since the last call; nullopt if there is none.
std::optional<Told> take_toast();

/// Draws a frame `seconds` from now at the latest, so that an expired text disappears without input. A newer
/// request replaces an older one. UI thread only.
void request_frame_after(double seconds);
/// For the main loop: returns the seconds until the requested frame, at least 0.02; infinite if there is no
/// request. Removes a request whose time has come.
double seconds_to_requested_frame();

/// Returns an unused path for a file derived from a trace: "<trace's name><middle><extension>" in the trace's
/// folder, or in the home folder if the former is not writable. If the name is taken, "-2", "-3", ... precede
/// the extension.
std::filesystem::path suggested_name(const std::filesystem::path& trace_path, std::string_view middle,
                                     std::string_view extension);

}  // namespace kino
