#include "core/base/platform/folder_files.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "core/base/platform/folder_names.hpp"

namespace kino {
namespace {

class Walk {
 public:
  Walk(const std::stop_token& stop, const std::function<bool(const FolderFile&)>& visit)
      : stop_(stop), visit_(visit) {}

  std::size_t run(const std::filesystem::path& folder, int levels) {
    if (const Result<FileFacts> facts = file_facts(folder)) seen_.insert(identity(facts.value()));
    enter({folder, {}, levels}, false);
    while (!links_.empty() && !ended()) {
      std::vector<Place> links = std::exchange(links_, {});
      std::ranges::sort(links, {}, &Place::name);
      for (const Place& link : links) {
        if (ended()) break;
        follow(link);
      }
    }
    return dead_links_;
  }

 private:
  /// A folder or link, and the number of subfolder levels to visit below it.
  struct Place {
    std::filesystem::path path;
    std::filesystem::path name;
    int levels = 0;
  };
  using Identity = std::pair<std::uint64_t, std::uint64_t>;

  static Identity identity(const FileFacts& facts) { return {facts.stamp.device, facts.stamp.inode}; }
  bool ended() const { return ended_ || stop_.stop_requested(); }

  /// `linked`: the folder is behind a link.
  void enter(const Place& folder, bool linked) {
    FolderNames names(folder.path);
    while (!ended()) {
      const char* const name = names.next();
      if (name == nullptr) return;
      Place place{folder.path / name, folder.name / name, folder.levels};
      const Result<FileFacts> facts = link_facts(place.path);
      if (!facts) continue;
      if (facts.value().type == FileType::link) {
        links_.push_back(std::move(place));
      } else {
        take(place, facts.value(), linked);
      }
    }
  }

  void follow(const Place& link) {
    const Result<FileFacts> facts = file_facts(link.path);
    if (facts && (facts.value().type == FileType::regular || facts.value().type == FileType::folder)) {
      take(link, facts.value(), true);
    } else {
      ++dead_links_;
    }
  }

  void take(const Place& place, const FileFacts& facts, bool linked) {
    if (facts.type == FileType::folder) {
      if (place.levels > 0 && seen_.insert(identity(facts)).second)
        enter({place.path, place.name, place.levels - 1}, linked);
    } else if (facts.type == FileType::regular) {
      // Two names of one file (hard links) are two files, unless one is behind a link.
      if (!seen_.insert(identity(facts)).second && linked) return;
      if (!visit_({place.path, place.name, facts})) ended_ = true;
    }
  }

  const std::stop_token& stop_;
  const std::function<bool(const FolderFile&)>& visit_;
  std::set<Identity> seen_;
  std::vector<Place> links_;
  std::size_t dead_links_ = 0;
  bool ended_ = false;
};

}  // namespace

std::size_t visit_files(const std::filesystem::path& folder, int levels, const std::stop_token& stop,
                        const std::function<bool(const FolderFile&)>& visit) {
  return Walk(stop, visit).run(folder, levels);
}

}  // namespace kino
