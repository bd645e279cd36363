#include "loaders/bytes/load_progress.hpp"

#include <algorithm>

namespace kino {

double share_read(const LoadProgress& progress) {
  const auto file = static_cast<double>(progress.file_bytes.load());
  const auto done =
      static_cast<double>(progress.compressed ? progress.file_bytes_done.load() : progress.text_bytes.load());
  const double read = file > 0 ? std::clamp(done / file, 0.0, 1.0) : 0.0;
  const double transcribed = progress.transcribed;
  return transcribed < 0 ? read : (read + transcribed) / 2;
}

}  // namespace kino
