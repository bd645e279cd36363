// Covers: snapshot_text
// The frame that names a stack, and its text.
#include "core/memory/snapshot_text.hpp"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "core/memory/snapshot_summary.hpp"

namespace {

struct Line {
  std::string name;
  std::string file;
  std::int64_t line = 0;
};

// Returns the name of a stack of these frames, innermost first.
std::string place_of(const std::vector<Line>& lines) {
  kino::Snapshot snapshot;
  std::vector<kino::FrameId> frames;
  for (const Line& line : lines) {
    kino::SnapshotFrame frame;
    frame.name = snapshot.strings.intern(line.name);
    frame.file = snapshot.strings.intern(line.file);
    frame.line = line.line;
    frames.push_back(snapshot.stacks.intern(frame));
  }
  const kino::FrameId place = kino::place_frame(snapshot, snapshot.stacks.intern(frames));
  return place == kino::kNoFrame ? "none" : kino::frame_text(snapshot, place);
}

const Line kUnwind{"torch::unwind::unwind()", "??"};
const Line kMalloc{"c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::malloc(unsigned long)",
                   "CUDACachingAllocator.cpp"};
const Line kCall{"at::_ops::bmm::call(at::Tensor const&, at::Tensor const&)", "??"};
const Line kOuterCall{"at::_ops::matmul::call(at::Tensor const&, at::Tensor const&)", "??"};
const Line kApply{"torch::autograd::generated::BmmBackward0::apply(std::vector<at::Tensor>&&)", "??"};
const Line kOperator{"torch::autograd::Node::operator()(std::vector<at::Tensor>&&)", ""};
const Line kModule{"_call_impl", "/usr/lib/python3/dist-packages/torch/nn/modules/module.py", 1501};
const Line kUser{"forward", "/home/me/model.py", 77};

}  // namespace

TEST_CASE("a stack is named by the innermost user frame, else by Python's") {
  CHECK(place_of({kUnwind, kMalloc, kCall, kModule, kUser, kApply}) == "model.py:77 forward");
  CHECK(place_of({kUnwind, kMalloc, kCall, kModule}) == "module.py:1501 _call_impl");
}

TEST_CASE("a stack without Python is named by the backward step, else by the called operator") {
  CHECK(place_of({kUnwind, kMalloc, kCall, kApply, kOperator}) ==
        "torch::autograd::generated::BmmBackward0::apply");
  CHECK(place_of({kUnwind, kMalloc, kCall, kOuterCall}) == "at::_ops::matmul::call");
  CHECK(place_of({kUnwind, kMalloc}) ==
        "CUDACachingAllocator.cpp c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::malloc");
  CHECK(place_of({}) == "none");
}

TEST_CASE("keeps parentheses in C++ names that are not parameters") {
  CHECK(place_of({kOperator}) == "torch::autograd::Node::operator()");
  CHECK(place_of({{"at::(anonymous namespace)::create_out(long)", "Out.cpp"}}) ==
        "Out.cpp at::(anonymous namespace)::create_out");
  CHECK(place_of({{"(anonymous namespace)::Lambda::operator()(int) const", "Out.cpp"}}) ==
        "Out.cpp (anonymous namespace)::Lambda::operator()");
  CHECK(place_of({{"operator(", "??"}}) == "operator(");
  CHECK(place_of({{"__clone", "??"}}) == "__clone");
}

TEST_CASE("skips memory bookkeeping and the engine of the backward pass") {
  const Line delete_it{"c10::cuda::CUDACachingAllocator::Native::local_raw_delete(void*)", "??"};
  const Line storage{"c10::StorageImpl::~StorageImpl()", "??"};
  const Line engine{"torch::autograd::Engine::evaluate_function(std::shared_ptr<int>&)", "??"};
  const Line buffer{"torch::autograd::InputBuffer::accumulate(int)", "??"};
  const Line release{"torch::autograd::generated::BmmBackward0::release_variables()", "??"};
  CHECK(place_of({kUnwind, delete_it, storage, release, engine}) ==
        "torch::autograd::generated::BmmBackward0::release_variables");
  CHECK(place_of({kUnwind, delete_it, storage, engine, {"pthread_condattr_setpshared", "??"}}) ==
        "torch::autograd::Engine::evaluate_function");
  CHECK(place_of({kUnwind, kMalloc, buffer, engine}) == "torch::autograd::InputBuffer::accumulate");
  CHECK(place_of({kUnwind, kMalloc, engine, buffer}) == "torch::autograd::InputBuffer::accumulate");
}

TEST_CASE("a stack is named by the library on torch, not by the script that calls it") {
  const Line model{"forward", "/v/lib/python3.11/site-packages/transformers/models/qwen3/modeling_qwen3.py",
                   54};
  const Line script{"main", "/home/me/run.py", 3};
  CHECK(place_of({kUnwind, kMalloc, kCall, kModule, model, script}) == "modeling_qwen3.py:54 forward");
}

TEST_CASE("shows a frame without a known file as its function only") {
  kino::Snapshot snapshot;
  kino::SnapshotFrame frame;
  frame.name = snapshot.strings.intern("torch::autograd::AccumulateGrad::apply(int)");
  frame.file = snapshot.strings.intern("??");
  const kino::FrameId id = snapshot.stacks.intern(frame);
  CHECK(kino::text_of(snapshot, id) == "torch::autograd::AccumulateGrad::apply(int)");
  CHECK(kino::full_frame_text(snapshot, id) == "torch::autograd::AccumulateGrad::apply(int)");
}

TEST_CASE("translates places that are not frames, and keeps frames") {
  CHECK(kino::place_of_frame("model.py:77 forward", false).str(kino::Language::japanese) ==
        "model.py:77 forward");
  const kino::Message freed = kino::place_of_frame("train.py:9 step", true);
  CHECK(freed == "before the recording; freed in train.py:9 step");
  CHECK(freed.str(kino::Language::chinese) == "记录之前；释放于 train.py:9 step");
  CHECK(kino::place_of_frame({}, false) == "no stack recorded");
  CHECK(kino::place_of_frame({}, true).str(kino::Language::japanese) == "記録開始前");
}
