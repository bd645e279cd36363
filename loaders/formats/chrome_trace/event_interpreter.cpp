#include "loaders/formats/chrome_trace/event_interpreter.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <optional>

#include "core/base/ascii.hpp"
#include "core/base/time_text.hpp"
#include "core/trace/slice_kind.hpp"
#include "core/trace/track_names.hpp"

namespace kino {
namespace {

/// Limits of times (within 127 years of 1970) and durations (31 years), so that differences fit in 64 bits.
constexpr std::int64_t kLargestTime = 4'000'000'000'000'000'000;
constexpr std::int64_t kLargestDuration = 1'000'000'000'000'000'000;
constexpr std::uint32_t kLargestCategories = 0xffff;

template <class T>
bool read_number(std::string_view text, T& out) {
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size();
}

/// Parses a decimal or hexadecimal id of a flow or async event, or an address. Hashes other texts.
std::uint64_t id_of(std::string_view text) {
  std::uint64_t id = 0;
  if (read_number(text, id)) return id;
  if (text.starts_with("0x")) {
    const std::string_view digits = text.substr(2);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id, 16);
    if (error == std::errc{} && end == digits.data() + digits.size()) return id;
  }
  return std::hash<std::string_view>{}(text);
}

/// Parses a number of 32 bits; nullopt for other texts, and for larger numbers.
std::optional<std::uint32_t> read_u32(std::string_view text) {
  std::uint64_t number = 0;
  if (!read_number(text, number) || number > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(number);
}

TrackClass class_of(std::string_view category) {
  if (!is_gpu_category(category)) return TrackClass::cpu;
  if (category == "gpu_user_annotation") return TrackClass::gpu_annotation;
  if (category == "cuda_sync") return TrackClass::gpu_sync;
  return TrackClass::gpu;
}

}  // namespace

EventInterpreter::EventInterpreter(EventBatch& batch) : batch_(batch) {
  batch_.names.intern("");
  batch_.facts.intern("");
  intern_category("");
}

void EventInterpreter::accept(const EventFields& fields, std::uint64_t offset) {
  if (fields.phase.empty()) {
    if (fields.any) return drop(DamageReason::no_phase, offset);
    ++counts_[EventType::empty];
    return;
  }
  // Phases of each type. Instants include phases that PyTorch does not write: samples (P), object lifetime
  // (N, O, D), memory dumps (v, V), marks (R), clock syncs (c), contexts.
  constexpr std::string_view kSpans = "BEbneSTpF";
  constexpr std::string_view kFlows = "stf";
  constexpr std::string_view kInstants = "iIPNODvVRc()";
  const std::string_view phase = fields.phase;
  if (phase.size() != 1) return drop(DamageReason::unknown_phase, offset);
  if (phase == "X") return accept_slice(fields, offset);
  if (phase == "C") return accept_counter(fields, offset);
  if (phase == "M") return accept_metadata(fields, offset);
  if (contains(kSpans, phase)) return accept_span(fields, phase[0], offset);
  if (contains(kFlows, phase)) return accept_flow(fields, phase[0], offset);
  if (contains(kInstants, phase)) return accept_instant(fields, offset);
  drop(DamageReason::unknown_phase, offset);
}

void EventInterpreter::reject_element(std::uint64_t offset) { drop(DamageReason::not_an_event, offset); }

void EventInterpreter::drop(DamageReason reason, std::uint64_t offset) {
  ++counts_[EventType::dropped];
  damage_.add(reason, offset, "");
}

EventCounts EventInterpreter::take_counts() { return std::exchange(counts_, EventCounts{}); }

DamageLog EventInterpreter::take_damage() { return std::exchange(damage_, DamageLog{}); }

bool EventInterpreter::read_time(const EventFields& fields, std::int64_t& time_ns, std::uint64_t offset) {
  const auto time = fields.timed ? std::optional(fields.time_ns) : ns_from_decimal_us(fields.time);
  time_in_ns_ = false;
  if (time && *time <= kLargestTime && *time >= -kLargestTime) {
    time_ns = *time;
    return true;
  }
  // Some writers use clock ticks in ns. Read as us, such times would be far outside any calendar, so they are
  // recognizable.
  if (read_number(fields.time, time_ns) && time_ns <= kLargestTime && time_ns >= -kLargestTime) {
    time_in_ns_ = true;
    note(DamageReason::time_in_ns, offset);
    return true;
  }
  const bool a_number =
      !fields.time.empty() && fields.time.find_first_not_of("0123456789.-+eE") == std::string_view::npos;
  drop(time || a_number ? DamageReason::time_out_of_range : DamageReason::no_timestamp, offset);
  return false;
}

void EventInterpreter::accept_slice(const EventFields& fields, std::uint64_t offset) {
  SliceRecord record;
  if (!read_time(fields, record.start_ns, offset)) return;
  auto duration = fields.timed  ? std::optional(fields.duration_ns)
                  : time_in_ns_ ? ns_from_decimal_us(fields.duration)
                                : duration_ns_from_decimal_us(fields.duration, fields.time);
  if (duration && time_in_ns_) *duration /= 1000;
  if (!duration) {
    note(DamageReason::no_duration, offset);
  } else if (*duration < 0) {
    note(DamageReason::negative_duration, offset);
  } else if (*duration > kLargestDuration) {
    return drop(DamageReason::time_out_of_range, offset);
  } else {
    record.duration_ns = *duration;
  }
  ++counts_[EventType::complete];
  record.source_offset = offset;
  record.name = intern_name(fields);
  record.category = intern_category(fields.category);
  record.track = intern_track(fields, record.category);
  if (!fields.correlation.empty()) {
    if (const auto correlation = read_u32(fields.correlation)) {
      record.correlation = *correlation;
    } else if (fields.correlation[0] != '-') {  // -1: none
      note(DamageReason::correlation_out_of_range, offset);
    }
  }
  // If the external id has more than 32 bits, tables use the nesting instead. Some versions of Kineto write
  // the correlation id here if there is no operator.
  if (const auto id = read_u32(fields.external_id); id && *id != record.correlation) record.external_id = *id;
  if (!fields.sequence_number.empty() && (fields.category == "cpu_op" || fields.category == "Operator"))
    read_sequence(fields, record);
  if (!fields.facts.empty()) record.facts = batch_.facts.intern(fields.facts);
  batch_.slices.push_back(record);
}

void EventInterpreter::read_sequence(const EventFields& fields, SliceRecord& record) {
  const auto number = read_u32(fields.sequence_number);  // -1: none
  if (!number || *number == std::numeric_limits<std::uint32_t>::max()) return;
  record.correlation = *number + 1;
  std::uint64_t thread = 0;
  if (!read_number(fields.forward_thread, thread)) return;
  constexpr std::uint64_t kLargest = std::numeric_limits<std::uint16_t>::max();
  record.forward_thread = static_cast<std::uint16_t>(std::min(thread, kLargest));
}

void EventInterpreter::accept_span(const EventFields& fields, char phase, std::uint64_t offset) {
  PointRecord record;
  if (!read_time(fields, record.time_ns, offset)) return;
  const bool on_thread = phase == 'B' || phase == 'E';
  if (phase == 'B') ++counts_[EventType::begin];
  if (phase == 'E') ++counts_[EventType::end];
  if (!on_thread) ++counts_[EventType::async];
  record.source_offset = offset;
  record.name = intern_name(fields);
  record.category = intern_category(fields.category);
  record.phase = phase;
  if (on_thread) {
    record.track = intern_track(fields, record.category);
  } else {
    // Phases b/n/e are matched by category, scope and id; S/T/p/F also by name.
    const bool nestable = phase == 'b' || phase == 'n' || phase == 'e';
    scratch_.assign(fields.scope).append(1, '\0').append(fields.category);
    if (!nestable) scratch_.append(1, '\0').append(fields.name);
    record.async_id = std::hash<std::string_view>{}(scratch_)*31 + id_of(fields.id);
    record.track = batch_.tracks.intern(TrackClass::async, fields.pid, fields.category);
  }
  batch_.spans.push_back(record);
}

void EventInterpreter::accept_instant(const EventFields& fields, std::uint64_t offset) {
  PointRecord record;
  if (!read_time(fields, record.time_ns, offset)) return;
  ++counts_[EventType::instants];
  record.source_offset = offset;
  record.name = intern_name(fields);
  record.category = intern_category(fields.category);
  record.track = intern_track(fields, record.category);
  batch_.instants.push_back(record);
  if (fields.name == "[memory]") add_memory_samples(fields, record);
}

void EventInterpreter::add_memory_samples(const EventFields& fields, const PointRecord& instant) {
  // Device type 0 is the CPU, which has no device id; other types are accelerators.
  const bool gpu = fields.device_type != "0";
  const auto add = [&](std::string_view what, std::string_view value) {
    SampleRecord sample;
    if (!read_number(value, sample.value)) return;
    sample.time_ns = instant.time_ns;
    sample.source_offset = instant.source_offset;
    sample.track = batch_.tracks.intern(gpu ? TrackClass::gpu_counter : TrackClass::counter,
                                        gpu ? fields.device_id : fields.pid, what);
    batch_.samples.push_back(sample);
  };
  MemoryRecord record;
  if (read_number(fields.bytes, record.bytes)) {
    record.time_ns = instant.time_ns;
    record.source_offset = instant.source_offset;
    record.track = instant.track;
    record.address = id_of(fields.address);
    record.device = ArgumentColumns::kMemoryHost;
    if (gpu && !read_number(fields.device_id, record.device)) record.device = 0;
    if (!read_number(fields.total_allocated, record.total_bytes)) record.total_bytes = -1;
    batch_.memory.push_back(record);
  }
  add(kAllocatedCounter, fields.total_allocated);
  if (gpu) add(kReservedCounter, fields.total_reserved);
}

void EventInterpreter::accept_counter(const EventFields& fields, std::uint64_t offset) {
  SampleRecord sample;
  if (!read_time(fields, sample.time_ns, offset)) return;
  sample.source_offset = offset;
  bool any = false;
  for (const auto& [key, value] : fields.numbers) {
    if (!read_number(value, sample.value)) continue;
    scratch_.assign(fields.name);
    if (!fields.id.empty()) scratch_.append(" ").append(fields.id);
    if (!key.empty() && key != fields.name) scratch_.append(" ").append(key);
    sample.track = batch_.tracks.intern(TrackClass::counter, fields.pid, scratch_);
    batch_.samples.push_back(sample);
    any = true;
  }
  if (!any) return drop(DamageReason::counter_without_value, offset);
  ++counts_[EventType::counters];
}

void EventInterpreter::accept_flow(const EventFields& fields, char phase, std::uint64_t offset) {
  FlowPoint flow;
  if (!read_time(fields, flow.time_ns, offset)) return;
  ++counts_[EventType::flows];
  flow.id = id_of(fields.id);
  flow.source_offset = offset;
  const std::uint16_t category = intern_category(fields.category);
  flow.category = CategoryId{category};
  flow.track = TrackId{intern_track(fields, category)};
  flow.phase = phase;
  flow.binds_enclosing = fields.binding == "e";
  batch_.flows.push_back(flow);
}

void EventInterpreter::accept_metadata(const EventFields& fields, std::uint64_t offset) {
  ++counts_[EventType::metadata];
  MetadataRecord record;
  record.source_offset = offset;
  record.pid = fields.pid;
  record.tid = fields.tid;
  if (fields.name == "process_name") {
    record.what = MetadataRecord::What::process_name;
    record.text = fields.meta_name;
  } else if (fields.name == "process_labels") {
    record.what = MetadataRecord::What::process_labels;
    record.text = fields.labels;
  } else if (fields.name == "thread_name") {
    record.what = MetadataRecord::What::thread_name;
    record.text = fields.meta_name;
  } else if (fields.name == "process_sort_index" || fields.name == "thread_sort_index") {
    record.what = fields.name[0] == 'p' ? MetadataRecord::What::process_sort_index
                                        : MetadataRecord::What::thread_sort_index;
    if (!read_number(fields.sort_index, record.number)) return;
  } else {
    return;  // other metadata stays only in the file
  }
  batch_.metadata.push_back(std::move(record));
}

std::uint32_t EventInterpreter::intern_name(const EventFields& fields) {
  if (fields.name_index == 0) return batch_.names.intern(fields.name);
  if (fields.name_index >= numbered_names_.size())
    numbered_names_.resize(fields.name_index + std::size_t{1}, StringTable::kAbsent);
  std::uint32_t& name = numbered_names_[fields.name_index];
  if (name == StringTable::kAbsent) name = batch_.names.intern(fields.name);
  return name;
}

std::uint16_t EventInterpreter::intern_category(std::string_view category) {
  std::uint32_t id = batch_.categories.find(category);
  if (id == StringTable::kAbsent) {
    if (batch_.categories.size() >= kLargestCategories) return 0;
    id = batch_.categories.intern(category);
    category_class_.push_back(class_of(category));
  }
  return static_cast<std::uint16_t>(id);
}

std::uint32_t EventInterpreter::intern_track(const EventFields& fields, std::uint16_t category) {
  return batch_.tracks.intern(category_class_[category], fields.pid, fields.tid);
}

}  // namespace kino
