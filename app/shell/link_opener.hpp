// Links and notes: finds the files that they name, shows their moments when the files are open, copies links.
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
  /// The files to open for `paths`: a link and a note stand for the file that they name. If it is not found,
  /// a toast says so, and `glyphs` gets the characters of its name.
  std::vector<std::filesystem::path> files_of(std::span<const std::filesystem::path> paths,
                                              const Session& session, GlyphSet& glyphs);
  /// Shows the moments whose documents are ready. Once a frame.
  void show_pending(const Session& session);
  bool pending() const { return !pending_.empty(); }

 private:
  /// A moment or note to show as soon as the document is ready.
  struct Pending {
    std::filesystem::path file;
    std::optional<ReadNote> note;
    std::filesystem::path note_file;
    Moment moment;
  };
  /// False if it has to be tried again.
  static bool show(const Pending& pending, Document& document);

  std::vector<Pending> pending_;
};

/// Copies a link to the moment that the document shows.
void copy_link(const Document& document);
/// The path or link in the clipboard. If there is none, a toast says so.
std::optional<std::filesystem::path> file_in_clipboard();

}  // namespace kino
