// Packs what a page shows into a capsule where the person says, and tells what became of it.
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

/// What is packed into a capsule, and where that is written to.
struct PackWish {
  std::optional<TimeRange> range;  ///< of a trace; nothing: all of it
  std::string note;                ///< shown first by who opens it
  bool redacted = false;
  std::filesystem::path out;
};
struct PackOutcome {
  std::uint64_t events = 0;
  std::uint64_t bytes = 0;
  std::array<std::uint64_t, 4> replaced{};  ///< different frames, paths, files and hosts
};
/// Called on the pool.
using PackIntoCapsule = std::function<Result<PackOutcome>(const PackWish& wish, const std::stop_token& stop)>;

/// One at a time. UI thread only.
class CapsuleExport {
 public:
  /// `file` is what is packed; `pool` outlives this.
  CapsuleExport(std::filesystem::path file, WorkerPool& pool, std::function<void()> wake)
      : file_(std::move(file)), pool_(pool), wake_(std::move(wake)) {}

  /// From now on it can be packed; it is there whole.
  void pack_by(PackIntoCapsule pack) { pack_ = std::move(pack); }
  /// Asks where to, which takes the place of PackWish::out.
  void save(PackWish wish);
  /// Once a frame: the window says what became of it.
  void update();
  bool running() const { return packed_.running(); }

 private:
  struct Packed {
    PackWish wish;
    Result<PackOutcome> outcome;
  };

  std::filesystem::path file_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  PackIntoCapsule pack_;
  BackgroundResult<std::shared_ptr<Packed>> packed_;
  std::shared_ptr<const bool> asker_ = std::make_shared<const bool>(true);  // gone with this
};

}  // namespace kino
