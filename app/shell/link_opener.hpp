// Links and notes: finds the files that they name, shows their moments once the files are loaded, copies
// links.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "app/shell/documents/session.hpp"
#include "app/ui/bookmarks/moment_link.hpp"
#include "app/ui/bookmarks/note.hpp"
#include "app/ui/text/glyph_set.hpp"

namespace kino {

/// UI thread only.
class LinkOpener {
 public:
  /// Returns the files to open for `paths`; links and notes are replaced by the file they name. If that file
  /// is not found, a toast is shown and the characters of its name are added to `glyphs`.
  std::vector<std::filesystem::path> files_of(std::span<const std::filesystem::path> paths,
                                              const Session& session, GlyphSet& glyphs);
  /// Shows the moments whose documents are ready. Call once per frame.
  void show_pending(const Session& session);
  bool pending() const { return !pending_.empty(); }

 private:
  /// A moment or note to show once the document is ready.
  struct Pending {
    std::filesystem::path file;
    std::optional<ReadNote> note;
    std::filesystem::path note_file;
    Moment moment;
  };
  /// Returns false if it must be tried again.
  static bool show(const Pending& pending, Document& document);

  std::vector<Pending> pending_;
};

/// Copies a link to the moment in view.
void copy_link(const Document& document);
/// Returns the path or link in the clipboard. If there is none, shows a toast.
std::optional<std::filesystem::path> file_in_clipboard();

}  // namespace kino
