// Opens links and notes: finds the files that they name, and shows their moments once the files are loaded.
// Also copies links.
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
  /// Returns the files to open for `paths`, with each link or note replaced by the file that it names. If
  /// that file is not found, shows a toast and adds the characters of the file's name to `glyphs`.
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
  /// Shows the moment in the document. Returns false if the document is not ready, so that the call must be
  /// repeated.
  static bool show(const Pending& pending, Document& document);

  std::vector<Pending> pending_;
};

/// Copies a link to the current view and selection of a document.
void copy_link(const Document& document);
/// Returns the path or link in the clipboard. If there is none, shows a toast.
std::optional<std::filesystem::path> file_in_clipboard();

}  // namespace kino
