// Measures the peak memory of this process without mapped files.
#pragma once

#include <atomic>
#include <thread>

namespace kino_test {

/// Samples every 5 ms from construction on. (The kernel's own peak includes mapped files.)
class AnonymousPeak {
 public:
  AnonymousPeak();

  /// Returns the peak so far.
  double bytes();

 private:
  void sample();

  std::atomic<double> peak_{0};
  std::jthread sampler_;
};

}  // namespace kino_test
