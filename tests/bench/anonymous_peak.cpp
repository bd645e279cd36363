#include "tests/bench/anonymous_peak.hpp"

#include <chrono>
#include <fstream>
#include <stop_token>
#include <string>

namespace kino_test {
namespace {

constexpr auto kSamplingInterval = std::chrono::milliseconds(5);

// Memory that the system would have to swap out: anonymous and shared pages.
double anonymous_bytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  double kilobytes = 0;
  while (status >> word) {
    if (word != "RssAnon:" && word != "RssShmem:") continue;
    double number = 0;
    status >> number;
    kilobytes += number;
  }
  return kilobytes * 1024;
}

}  // namespace

AnonymousPeak::AnonymousPeak()
    : sampler_([this](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          sample();
          std::this_thread::sleep_for(kSamplingInterval);
        }
      }) {}

double AnonymousPeak::bytes() {
  sample();
  return peak_.load();
}

void AnonymousPeak::sample() {
  const double now = anonymous_bytes();
  double before = peak_.load();
  while (now > before && !peak_.compare_exchange_weak(before, now)) {
  }
}

}  // namespace kino_test
