#include "core/job/communication_kernels.hpp"

#include <bit>
#include <iterator>
#include <map>

namespace kino {
namespace {

auto operation_key(const CommunicationKernel& kernel) {
  return std::tuple(kernel.source, kernel.target, kernel.group, kernel.family, kernel.algorithm, kernel.dtype,
                    kernel.stream, kernel.kind, kernel.evidence, kernel.custom);
}

auto call_key(const CommunicationKernel& kernel) {
  return std::tuple(kernel.in_elements, kernel.out_elements, operation_key(kernel));
}

}  // namespace

CommunicationKernels::CommunicationKernels(std::span<const CommunicationKernel> kernels) {
  std::map<decltype(call_key(kernels[0])), std::size_t> calls;
  std::map<decltype(operation_key(kernels[0])), std::size_t> operations;
  std::vector<std::int64_t> values;
  values.reserve(kernels.size() * kColumns);
  for (const CommunicationKernel& kernel : kernels) {
    const auto [call, fresh] = calls.try_emplace(call_key(kernel), calls_.size());
    if (fresh) {
      const auto [operation, first] = operations.try_emplace(operation_key(kernel), operations_.size());
      if (first) {
        operations_.push_back({kernel.source, kernel.target, kernel.group, kernel.family, kernel.algorithm,
                               kernel.dtype, kernel.stream, kernel.kind, kernel.evidence, kernel.custom});
      }
      calls_.push_back({kernel.in_elements, kernel.out_elements, operation->second});
    }
    const std::int64_t row[kColumns] = {kernel.start_ns,
                                        kernel.duration_ns,
                                        kernel.sequence,
                                        std::bit_cast<std::int64_t>(kernel.communication),
                                        kernel.step,
                                        std::int64_t{index_of(kernel.slice)},
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
  const CommunicationOperation& operation = operations_[call.operation];
  CommunicationKernel kernel;
  kernel.start_ns = row[kStart];
  kernel.duration_ns = row[kDuration];
  kernel.in_elements = call.in_elements;
  kernel.out_elements = call.out_elements;
  kernel.sequence = row[kSequence];
  kernel.communication = std::bit_cast<std::uint64_t>(row[kCommunication]);
  kernel.source = operation.source;
  kernel.target = operation.target;
  kernel.step = row[kStep];
  kernel.slice = SliceId{static_cast<std::uint32_t>(row[kSlice])};
  kernel.group = operation.group;
  kernel.family = operation.family;
  kernel.algorithm = operation.algorithm;
  kernel.dtype = operation.dtype;
  kernel.stream = operation.stream;
  kernel.kind = operation.kind;
  kernel.evidence = operation.evidence;
  kernel.custom = operation.custom;
  return kernel;
}

bool CommunicationKernels::sound(std::int64_t most_ns) const {
  if (!table_.sound(kColumns)) return false;
  for (const CommunicationCall& call : calls_) {
    if (call.operation >= operations_.size()) return false;
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
