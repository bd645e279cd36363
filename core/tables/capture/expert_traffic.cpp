#include "core/tables/capture/expert_traffic.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "core/base/ascii.hpp"
#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/tables/gpu/collective_facts.hpp"
#include "core/tables/gpu/input_shapes.hpp"
#include "core/trace/event_facts.hpp"

namespace kino {
namespace {

/// Kernels of a device with a role, in order of start.
using RoleKernels = std::vector<std::pair<SliceId, ExpertRole>>;

class Traffic {
 public:
  Traffic(const Trace& trace, const std::stop_token& stop)
      : trace_(trace), stop_(stop), facts_(decode_facts(trace)), roles_(trace.names.size(), kUnknown) {}

  std::vector<ExpertTraffic> run(const GpuWork& work) {
    std::map<std::uint32_t, RoleKernels> kernels;  // by process
    std::size_t visited = 0;
    for (const StreamWork& stream : work.streams) {
      const std::uint32_t process = trace_.track(stream.track).process;
      for (const SliceId slice : stream.slices) {
        if (++visited % kCancelStride == 0 && stop_.stop_requested()) return {};
        if (trace_.kind(slice) == SliceKind::copy) continue;
        const ExpertRole role = role_of(trace_.name(slice));
        if (role != ExpertRole::none) kernels[process].emplace_back(slice, role);
        add_sent(slice, process);
      }
    }
    for (auto& [process, list] : kernels) pair_up(process, list);
    std::vector<ExpertTraffic> result;
    result.reserve(devices_.size());
    for (auto& [process, device] : devices_) result.push_back(std::move(device));
    return result;
  }

 private:
  static constexpr std::uint8_t kUnknown = 0xff;

  ExpertRole role_of(NameId name) {
    std::uint8_t& role = roles_[index_of(name)];
    if (role == kUnknown) role = static_cast<std::uint8_t>(expert_role(trace_.name_text(name)));
    return static_cast<ExpertRole>(role);
  }

  ExpertTraffic& device(std::uint32_t process) {
    ExpertTraffic& found = devices_[process];
    found.process = process;
    return found;
  }

  void add_sent(SliceId slice, std::uint32_t process) {
    const EventFacts& facts = facts_[facts_index(trace_, slice)];
    if (facts.in_splits.empty()) return;
    const Shape splits = numbers_in(facts.in_splits);
    std::int64_t sum = 0;
    for (const std::int64_t rows : splits) {
      if (rows < 0) return;
      add_saturating(sum, rows);
    }
    if (sum == 0) return;
    const std::int64_t row_elements = facts.in_elements >= 0 ? facts.in_elements / sum : -1;
    const std::int64_t element = element_bytes(facts.dtype);
    ExpertTraffic& found = device(process);
    for (std::size_t rank = 0; rank < splits.size(); ++rank) {
      SentRows& sent = found.sent[static_cast<std::int64_t>(rank)];
      ++sent.messages;
      add_saturating(sent.rows, splits[rank]);
      const bool known = row_elements >= 0 && element > 0;
      sent.bytes_known = sent.bytes_known && known;
      if (known) add_saturating(sent.bytes, bytes_of(splits[rank], row_elements, element));
      if (splits[rank] <= sent.largest_rows) continue;
      sent.largest_rows = splits[rank];
      sent.largest = slice;
    }
  }

  /// Returns the product; the largest integer if it exceeds 64 bits.
  static std::int64_t bytes_of(std::int64_t rows, std::int64_t row_elements, std::int64_t element) {
    std::int64_t elements = 0;
    std::int64_t bytes = 0;
    const bool exact = !__builtin_mul_overflow(rows, row_elements, &elements) &&
                       !__builtin_mul_overflow(elements, element, &bytes);
    return exact ? bytes : std::numeric_limits<std::int64_t>::max();
  }

  void pair_up(std::uint32_t process, RoleKernels& kernels) {
    std::ranges::sort(kernels, {}, [&](const auto& kernel) {
      return std::pair(trace_.start_ns(kernel.first), kernel.first);
    });
    ExpertTraffic& found = device(process);
    std::vector<SliceId> open;
    std::size_t next = 0;  // first dispatch in `open` without a combine
    for (const auto& [slice, role] : kernels) {
      const bool dispatch = role == ExpertRole::dispatch;
      ++(dispatch ? found.dispatches : found.combines);
      add_saturating(dispatch ? found.dispatch_ns : found.combine_ns, trace_.duration_ns(slice));
      SliceId& longest = dispatch ? found.longest_dispatch : found.longest_combine;
      if (longest == kNoSlice || trace_.duration_ns(slice) > trace_.duration_ns(longest)) longest = slice;
      if (dispatch) {
        open.push_back(slice);
      } else if (next < open.size()) {
        const SliceId before = open[next++];
        const std::int64_t between_ns =
            std::max<std::int64_t>(0, saturating_subtract(trace_.start_ns(slice), trace_.end_ns(before)));
        found.pairs.push_back({before, slice, between_ns});
        add_saturating(found.between_ns, between_ns);
      }
    }
  }

  const Trace& trace_;
  const std::stop_token& stop_;
  const std::vector<EventFacts> facts_;
  std::vector<std::uint8_t> roles_;                 // by NameId: an ExpertRole, or kUnknown
  std::map<std::uint32_t, ExpertTraffic> devices_;  // by process
};

}  // namespace

ExpertRole expert_role(std::string_view kernel_name) {
  const std::string name = lowered(kernel_name);
  constexpr std::array<std::string_view, 9> kLibraries{"deep_ep", "dpsk::ep", "mori",    "flashinfer", "pplx",
                                                       "moea2a",  "moe_a2a",  "nvshmem", "all_to_all"};
  constexpr std::array<std::string_view, 3> kHelpers{"notify", "layout", "clean"};
  const auto found = [&](std::string_view part) { return contains(name, part); };
  // MoRI's kernels are EpDispatch.. and EpCombine.., in a namespace that names may lack.
  const bool ep = found("epdispatch") || found("epcombine");
  if (!ep && std::ranges::none_of(kLibraries, found)) return ExpertRole::none;
  if (std::ranges::any_of(kHelpers, found)) return ExpertRole::none;
  const std::size_t dispatch = name.find("dispatch");
  const std::size_t combine = name.find("combine");
  if (dispatch == combine) return ExpertRole::none;  // neither occurs
  return dispatch < combine ? ExpertRole::dispatch : ExpertRole::combine;
}

std::vector<ExpertTraffic> expert_traffic(const Trace& trace, const GpuWork& work,
                                          const std::stop_token& stop) {
  return Traffic(trace, stop).run(work);
}

double expert_imbalance(const std::vector<ExpertTraffic>& devices) {
  double most = 0;
  double sum = 0;
  std::size_t count = 0;
  for (const ExpertTraffic& device : devices) {
    if (device.pairs.empty()) continue;
    const auto between = static_cast<double>(device.between_ns);
    most = std::max(most, between);
    sum += between;
    ++count;
  }
  return sum > 0 ? most * static_cast<double>(count) / sum : 0;
}

}  // namespace kino
