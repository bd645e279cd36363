// The largest memory of this process that is no mapped file.
#pragma once

#include <atomic>
#include <thread>

namespace kino_test {

/// Looks every few milliseconds from its making on, as the peak that the kernel keeps counts mapped files
/// too.
class AnonymousPeak {
 public:
  AnonymousPeak();

  /// So far.
  double bytes();

 private:
  void sample();

  std::atomic<double> peak_{0};
  std::jthread sampler_;
};

}  // namespace kino_test
