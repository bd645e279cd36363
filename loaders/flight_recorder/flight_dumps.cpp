#include "loaders/flight_recorder/flight_dumps.hpp"

#include <algorithm>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>

#include "loaders/bytes/byte_stream.hpp"
#include "loaders/bytes/descriptor.hpp"
#include "loaders/bytes/file_kind.hpp"
#include "loaders/bytes/folder_names.hpp"
#include "loaders/flight_recorder/flight_dump_reader.hpp"

namespace kino {

std::optional<FlightDumps> dumps_in_folder(const std::filesystem::path& folder, const std::stop_token& stop) {
  FlightDumps found;
  FolderNames names(folder);
  std::size_t looked_at = 0;
  while (const char* const name = names.next()) {
    if (stop.stop_requested()) return std::nullopt;
    if (++looked_at > FlightDumps::kMostFiles) {
      found.problems.emplace_back("Only the first " + std::to_string(FlightDumps::kMostFiles) +
                                  " files were looked at");
      break;
    }
    const std::filesystem::path path = folder / name;
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (file.fd < 0) continue;
    FileStream in(file.fd);
    if (!looks_like_flight_dump(read_head(in, kHeadBytes))) {
      // A folder of something else: so much that is no dump stands beside none.
      constexpr std::size_t kOthers = 64;
      if (found.dumps.empty() && looked_at > kOthers) return std::nullopt;
      continue;
    }
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size > FlightDumps::kMostFileBytes) {
      found.problems.emplace_back("The file is larger than dumps are: " + std::string(name));
      continue;
    }
    FileStream whole(file.fd);
    std::string content = read_head(whole, size);
    Result<FlightDump> dump = read_flight_dump(content, name, stop);
    if (!dump) {
      found.problems.emplace_back(dump.error().what + ": " + name);
    } else {
      found.dumps.push_back(std::move(*dump));
    }
  }
  if (found.dumps.empty()) return std::nullopt;
  std::ranges::stable_sort(found.dumps, {}, &FlightDump::rank);
  // Of two dumps of a rank the last one by name counts.
  for (std::size_t i = 1; i < found.dumps.size();) {
    if (found.dumps[i].rank != found.dumps[i - 1].rank) {
      ++i;
      continue;
    }
    const auto older = static_cast<std::ptrdiff_t>(found.dumps[i].file < found.dumps[i - 1].file ? i : i - 1);
    found.problems.emplace_back("There are two dumps of rank " + std::to_string(found.dumps[i].rank) +
                                "; left out: " + found.dumps[static_cast<std::size_t>(older)].file);
    found.dumps.erase(found.dumps.begin() + older);
  }
  return found;
}

}  // namespace kino
