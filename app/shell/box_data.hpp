// Lists the entries of the box in the window bar for the documents of the session, and runs them on a page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/shell/documents/session.hpp"
#include "app/shell/settings/recent_files.hpp"
#include "app/ui/box/box_entries.hpp"
#include "app/ui/drawer/page.hpp"
#include "app/ui/text/texts.hpp"

namespace kino {

/// Owns the data of a BoxContext.
struct BoxData {
  bool searches = false;
  std::optional<TimeRange> content;
  const Steps* steps = nullptr;       ///< owned by the page
  const FoundNames* names = nullptr;  ///< owned by the page
  SearchCompletions completions;
  std::vector<BoxTable> tables;
  std::vector<BoxFile> files;
  std::string device = "GPU";  ///< see Page::device_word()

  /// Returns views of this object, which must outlive the result.
  BoxContext context() const;
};

/// Collects the data for the active page. Starts to find the names that match `typed`, unless it names
/// commands or SQL. Call once per frame while the box is open.
BoxData box_data(const Session& session, const RecentFiles& recent, const std::string& typed);

/// Returns the text in the empty box.
Text box_hint(const Session& session);

/// Takes an entry that concerns the active page: a search, a table, SQL or a place.
void take_on_page(const BoxEntry& entry, Page& page);

}  // namespace kino
