#include "loaders/formats/packing.hpp"

#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

#include "loaders/formats/capsule/snapshot_capsule.hpp"
#include "loaders/formats/open.hpp"

namespace kino {
namespace {

/// Removes a file on destruction.
class PartFile {
 public:
  explicit PartFile(std::filesystem::path path) : path_(std::move(path)) {}
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  ~PartFile() {
    std::error_code code;
    std::filesystem::remove(path_, code);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

Result<PackReport> pack_part(const OpenedTrace& opened, const std::optional<TimeRange>& range,
                             const PackOptions& options, const std::filesystem::path& out,
                             std::atomic<double>& done, const std::stop_token& stop) {
  if (!range) return pack_trace(opened, options, out, done, stop);
  const RedactionKey random = random_redaction_key();
  const PartFile part(std::filesystem::path(out) += "." + std::to_string(random[0]) + ".part.json");
  std::atomic<std::uint64_t> bytes_read{0};
  const Result<TrimReport> cut = opened.details->write_part(*range, part.path(), bytes_read, stop);
  if (!cut.ok()) return cut.error();
  OpenOptions opening;
  opening.threads = options.threads;
  opening.cache.look = false;
  LoadProgress progress;
  const Result<OpenedTrace> read = open_trace(part.path(), opening, progress, stop);
  if (!read.ok()) return read.error();
  return pack_trace(read.value(), options, out, done, stop);
}

Result<PackReport> pack_snapshot_of(const std::filesystem::path& path, OpenOptions opening,
                                    const PackOptions& options, const std::filesystem::path& out,
                                    std::atomic<double>& done, const std::stop_token& stop) {
  opening.keep_text = true;
  LoadProgress progress;
  const Result<OpenedSnapshot> opened = open_snapshot(path, opening, progress, stop);
  if (!opened.ok()) return opened.error();
  return pack_snapshot(opened.value(), options, out, done, stop);
}

}  // namespace kino
