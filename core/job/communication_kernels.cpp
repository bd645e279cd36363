#include "core/job/communication_kernels.hpp"

#include <bit>
#include <iterator>
#include <map>

namespace kino {
namespace {

auto operation_key(const CommunicationKernel& it) {
  return std::tuple(it.source, it.target, it.group, it.family, it.algorithm, it.dtype, it.stream, it.kind,
                    it.evidence, it.custom);
}

auto call_key(const CommunicationKernel& it) {
  return std::tuple(it.in_elements, it.out_elements, operation_key(it));
}

}  // namespace

CommunicationKernels::CommunicationKernels(std::span<const CommunicationKernel> kernels) {
  std::map<decltype(call_key(kernels[0])), std::size_t> calls;
  std::map<decltype(operation_key(kernels[0])), std::size_t> operations;
  std::vector<std::int64_t> values;
  values.reserve(kernels.size() * kColumns);
  for (const CommunicationKernel& it : kernels) {
    const auto [call, fresh] = calls.try_emplace(call_key(it), calls_.size());
    if (fresh) {
      const auto [operation, first] = operations.try_emplace(operation_key(it), operations_.size());
      if (first) {
        operations_.push_back({it.source, it.target, it.group, it.family, it.algorithm, it.dtype, it.stream,
                               it.kind, it.evidence, it.custom});
      }
      calls_.push_back({it.in_elements, it.out_elements, operation->second});
    }
    const std::int64_t row[kColumns] = {it.start_ns,
                                        it.duration_ns,
                                        it.sequence,
                                        std::bit_cast<std::int64_t>(it.communication),
                                        it.step,
                                        std::int64_t{index_of(it.slice)},
                                        static_cast<std::int64_t>(call->second)};
    values.insert(values.end(), std::begin(row), std::end(row));
  }
  calls_.shrink_to_fit();
  operations_.shrink_to_fit();
  table_ = PackedTable(kColumns, values);
}

CommunicationKernel CommunicationKernels::operator[](std::size_t i) const {
  const auto row = table_.row<kColumns>(i);
  const CommunicationCall& call = calls_[static_cast<std::size_t>(row[kCall])];
  const CommunicationOperation& of = operations_[call.operation];
  CommunicationKernel kernel;
  kernel.start_ns = row[kStart];
  kernel.duration_ns = row[kDuration];
  kernel.in_elements = call.in_elements;
  kernel.out_elements = call.out_elements;
  kernel.sequence = row[kSequence];
  kernel.communication = std::bit_cast<std::uint64_t>(row[kCommunication]);
  kernel.source = of.source;
  kernel.target = of.target;
  kernel.step = row[kStep];
  kernel.slice = SliceId{static_cast<std::uint32_t>(row[kSlice])};
  kernel.group = of.group;
  kernel.family = of.family;
  kernel.algorithm = of.algorithm;
  kernel.dtype = of.dtype;
  kernel.stream = of.stream;
  kernel.kind = of.kind;
  kernel.evidence = of.evidence;
  kernel.custom = of.custom;
  return kernel;
}

bool CommunicationKernels::sound(std::int64_t most_ns) const {
  if (!table_.sound(kColumns)) return false;
  for (const CommunicationCall& it : calls_) {
    if (it.operation >= operations_.size()) return false;
  }
  if (!table_.within(kStart, -most_ns, most_ns) || !table_.within(kDuration, 0, most_ns) ||
      !table_.within(kSlice, 0, 0xffffffffLL) ||
      !table_.within(kCall, 0, static_cast<std::int64_t>(calls_.size()) - 1))
    return false;
  for (std::size_t i = 1; i < size(); ++i) {
    if (start_ns(i - 1) > start_ns(i)) return false;
  }
  return true;
}

}  // namespace kino
