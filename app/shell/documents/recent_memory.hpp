// Adds opened documents to the list of recent files, with their kinds and verdicts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "app/shell/documents/session.hpp"
#include "app/shell/settings/recent_files.hpp"
#include "core/base/result.hpp"

namespace kino {

/// Prints a problem with the list of recent files, if there is one. The window does not show the problem,
/// because the file opens anyway.
void print_recent_problem(const std::optional<Error>& error);

/// UI thread only.
class RecentMemory {
 public:
  /// `recent` must outlive the object.
  explicit RecentMemory(RecentFiles& recent) : recent_(recent) {}

  /// Called once per frame. Adds the documents opened since the last call, except `sample` and inputs that
  /// can be read only once. Stores kind and verdict of a document as soon as they are known.
  void update(Session& session, const std::optional<std::filesystem::path>& sample);

 private:
  /// A recent file whose verdict is not stored yet.
  struct AwaitedVerdict {
    std::uint64_t document = 0;
    RecentFile file;
    bool described = false;  // whether its kind is stored
  };

  void add_opened(Session& session, const std::optional<std::filesystem::path>& sample);
  void store_verdicts(Session& session);

  RecentFiles& recent_;
  std::vector<AwaitedVerdict> awaited_;
};

}  // namespace kino
