#include "loaders/bytes/load_progress.hpp"

#include <algorithm>

namespace kino {

double share_read(const LoadProgress& progress) {
  const auto file = static_cast<double>(progress.file_bytes.load());
  const auto done =
      static_cast<double>(progress.compressed ? progress.file_bytes_done.load() : progress.text_bytes.load());
  return file > 0 ? std::clamp(done / file, 0.0, 1.0) : 0.0;
}

}  // namespace kino
