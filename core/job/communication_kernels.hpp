// Communication kernels of one rank, packed to about a tenth of their unpacked size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "core/base/ids.hpp"
#include "core/tables/gpu/collective_facts.hpp"
#include "core/trace/packed/indexed_iterator.hpp"
#include "core/trace/packed/packed_table.hpp"

namespace kino {

/// Evidence for the process group of a kernel.
enum class GroupEvidence : std::uint8_t {
  kernel,      ///< arguments of the kernel
  annotation,  ///< annotation or operator around its launch
  stream,      ///< all kernels on its stream that have a group have this group
  only_group,  ///< the rank has only one group
  none,
};

/// Returns whether the operation is a message from one rank to another.
inline bool is_message(CollectiveKind kind) {
  return kind == CollectiveKind::send || kind == CollectiveKind::receive;
}

/// One communication kernel. Unknown values have the defaults below.
struct CommunicationKernel {
  static constexpr std::uint32_t kNoGroup = 0xffffffffU;

  std::int64_t start_ns = 0;  ///< Unix time by the rank's own clock
  std::int64_t duration_ns = 0;
  std::int64_t in_elements = -1;
  std::int64_t out_elements = -1;
  std::int64_t sequence = -1;
  std::uint64_t communication = 0;
  std::int64_t source = -1;  ///< source rank of a message
  std::int64_t target = -1;  ///< target rank of a message
  std::int64_t step = -1;    ///< number of the step that launched the kernel
  SliceId slice = kNoSlice;
  std::uint32_t group = kNoGroup;  ///< index into RankDigest::groups
  /// Index into RankDigest::texts, as are the next three members. Text such as "all-reduce" or "deep_ep".
  std::uint32_t family = 0;
  std::uint32_t algorithm = 0;  ///< name of the kernel without template arguments, the same on all ranks
  std::uint32_t dtype = 0;      ///< 0: unknown
  std::uint32_t stream = 0;
  CollectiveKind kind = CollectiveKind::other;
  GroupEvidence evidence = GroupEvidence::none;
  bool custom = false;  ///< whether it is a GPU kernel of a library other than NCCL, RCCL, HCCL and oneCCL

  std::int64_t end_ns() const { return start_ns + duration_ns; }
  bool is_message() const { return kino::is_message(kind); }
};

/// Properties that several calls can share: all except the sizes.
struct CommunicationOperation {
  std::int64_t source = -1;
  std::int64_t target = -1;
  std::uint32_t group = CommunicationKernel::kNoGroup;
  std::uint32_t family = 0;
  std::uint32_t algorithm = 0;
  std::uint32_t dtype = 0;
  std::uint32_t stream = 0;
  CollectiveKind kind = CollectiveKind::other;
  GroupEvidence evidence = GroupEvidence::none;
  bool custom = false;
};

/// A CommunicationOperation with its sizes.
struct CommunicationCall {
  std::int64_t in_elements = -1;
  std::int64_t out_elements = -1;
  std::uint64_t operation = 0;  ///< index into CommunicationKernels::operations()
};

/// List of CommunicationKernels, returned by value. Columns whose values differ from kernel to kernel are in
/// a PackedTable; common properties are stored once. Immutable.
class CommunicationKernels {
 public:
  using Iterator = IndexedIterator<CommunicationKernels, CommunicationKernel>;

  CommunicationKernels() = default;
  /// Keeps the order of `kernels`. O(n).
  explicit CommunicationKernels(std::span<const CommunicationKernel> kernels);

  std::size_t size() const { return table_.size(); }
  bool empty() const { return table_.empty(); }
  CommunicationKernel operator[](std::size_t i) const;
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

  // Single members of one kernel, cheaper than operator[].
  std::int64_t start_ns(std::size_t i) const { return table_.at(i, kStart); }
  std::int64_t duration_ns(std::size_t i) const { return table_.at(i, kDuration); }
  std::int64_t end_ns(std::size_t i) const { return start_ns(i) + duration_ns(i); }
  std::int64_t sequence(std::size_t i) const { return table_.at(i, kSequence); }
  std::int64_t step(std::size_t i) const { return table_.at(i, kStep); }
  SliceId slice(std::size_t i) const { return SliceId{static_cast<std::uint32_t>(table_.at(i, kSlice))}; }
  /// Returns an index into calls(). Kernels with the same call differ only in the members above and their
  /// communication id.
  std::size_t call(std::size_t i) const { return static_cast<std::size_t>(table_.at(i, kCall)); }
  /// Distinct calls and operations, both in order of first use.
  std::span<const CommunicationCall> calls() const { return calls_; }
  std::span<const CommunicationOperation> operations() const { return operations_; }
  const CommunicationOperation& operation(std::size_t i) const {
    return operations_[calls_[call(i)].operation];
  }

  /// Members for storing. After reading, use them only if sound().
  auto members() { return std::tie(table_, calls_, operations_); }
  auto members() const { return std::tie(table_, calls_, operations_); }
  /// Returns whether each kernel can be read, times and durations are within `most_ns`, and kernels are
  /// sorted by start. Does not check groups, texts and kinds of operations(). O(n).
  bool sound(std::int64_t most_ns) const;

 private:
  // Columns of the table.
  static constexpr std::size_t kStart = 0;
  static constexpr std::size_t kDuration = 1;
  static constexpr std::size_t kSequence = 2;
  static constexpr std::size_t kCommunication = 3;
  static constexpr std::size_t kStep = 4;
  static constexpr std::size_t kSlice = 5;
  static constexpr std::size_t kCall = 6;
  static constexpr std::size_t kColumns = 7;

  PackedTable table_;
  std::vector<CommunicationCall> calls_;
  std::vector<CommunicationOperation> operations_;
};

}  // namespace kino
