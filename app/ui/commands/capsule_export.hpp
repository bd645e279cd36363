// Packs the content of a page into a capsule file that the user chooses, and reports the result.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "app/system/background_result.hpp"
#include "core/base/result.hpp"
#include "core/base/worker_pool.hpp"
#include "core/trace/trace.hpp"

namespace kino {

struct CapsuleRequest {
  std::optional<TimeRange> range;  ///< range of a trace; nullopt: the whole trace
  std::string note;                ///< text of a note (note_json()), shown first when the capsule is opened
  bool redacted = false;
  std::filesystem::path out;
};
struct CapsuleResult {
  std::uint64_t events = 0;
  std::uint64_t bytes = 0;
  std::array<std::uint64_t, 4> replaced{};  ///< numbers of replaced frames, paths, files and hosts
};
/// Writes a capsule. Called on the pool.
using PackCapsule =
    std::function<Result<CapsuleResult>(const CapsuleRequest& wish, const std::stop_token& stop)>;

/// Exports one capsule at a time. UI thread only.
class CapsuleExport {
 public:
  /// `file` is the path of the file to pack; `pool` must outlive the object.
  CapsuleExport(std::filesystem::path file, WorkerPool& pool, std::function<void()> wake)
      : file_(std::move(file)), pool_(pool), wake_(std::move(wake)) {}

  /// Enables exports once the document has been loaded completely.
  void pack_by(PackCapsule pack) { pack_ = std::move(pack); }
  /// Lets the user choose a path, which replaces CapsuleRequest::out, then writes the capsule. Does nothing
  /// while another capsule is being written.
  void save(CapsuleRequest wish);
  /// Called once per frame: shows the result as a toast.
  void update();
  bool running() const { return packed_.running(); }

 private:
  struct Packed {
    CapsuleRequest wish;
    Result<CapsuleResult> outcome;
  };

  std::filesystem::path file_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  PackCapsule pack_;
  BackgroundResult<std::shared_ptr<Packed>> packed_;
  std::shared_ptr<const bool> asker_ = std::make_shared<const bool>(true);  // expires with this object
};

}  // namespace kino
