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

/// Opens links and notes, and remembers their moments until the files are loaded. UI thread only.
class LinkOpener {
 public:
  /// Returns the files to open for `paths`, with each link or note replaced by the file that it names;
  /// show_pending() later shows its moment. A file that is not found is omitted: a toast names it, and
  /// `glyphs` gets the characters of its path.
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
  /// Shows the moment in the document. Returns false while the document is loading or not laid out, so that
  /// the call must be repeated.
  static bool show(const Pending& pending, Document& document);

  std::vector<Pending> pending_;
};

/// Copies a link to a document, with the view and selection of a timeline or the cursor of a snapshot.
void copy_link(const Document& document);
/// Returns the path of an existing file, or the link, in the clipboard. If there is neither, shows a toast
/// and returns nullopt.
std::optional<std::filesystem::path> file_in_clipboard();

}  // namespace kino
