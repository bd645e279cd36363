// Two commands of the menu Share: the verdict as text, and the HTML report. Ui binds copy_link, and pages
// handle the other commands.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "app/shell/documents/session.hpp"
#include "app/shell/menus/report_export.hpp"
#include "app/ui/commands/commands.hpp"

namespace kino {

/// Returns the file or folder from which the command `report` can write the report of the document. nullopt
/// for comparisons, snapshot sets, input that can be read only once, files that were opened together, and
/// documents that are not completely loaded.
std::optional<std::filesystem::path> report_source(const Document& document);
/// Returns the name of the document and its verdict as text of several lines; empty if there is no verdict.
std::string verdict_to_share(const Document& document);

/// UI thread only.
class ShareCommands {
 public:
  /// `session` must outlive the object. `wake` is called from another thread.
  ShareCommands(const Session& session, std::function<void()> wake)
      : session_(session), report_(std::move(wake)) {}

  void bind(Commands& commands);
  /// Called once per frame: shows results as toasts.
  void update() { report_.update(); }

 private:
  const Session& session_;
  ReportExport report_;
};

}  // namespace kino
