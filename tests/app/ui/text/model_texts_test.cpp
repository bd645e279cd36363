// Covers: model_texts
#include "app/ui/text/model_texts.hpp"

#include <string>

#include <doctest/doctest.h>

#include "app/ui/text/texts.hpp"

using kino::Track;
using kino::TrackKind;

namespace {

struct InChinese {
  InChinese() { kino::set_language(kino::Language::chinese); }
  ~InChinese() { kino::set_language(kino::Language::english); }
};

Track track(TrackKind kind, const char* name, const char* tid, const char* contents = "",
            bool bytes = false) {
  Track made;
  made.kind = kind;
  made.name = name;
  made.tid = tid;
  made.contents = contents;
  made.bytes = bytes;
  return made;
}

}  // namespace

TEST_CASE("the program's names of tracks are translated, names from the file are not") {
  const InChinese chinese;
  CHECK(kino::name_text(track(TrackKind::gpu_annotation, "annotations of stream 7", "7")) == "流 7 的标注");
  CHECK(kino::name_text(track(TrackKind::gpu_stream, "stream 7", "7")) == "流 7");
  CHECK(kino::name_text(track(TrackKind::gpu_sync, "synchronization", "-1")) == "同步");
  CHECK(kino::name_text(track(TrackKind::counter, "memory allocated", "memory allocated", "", true)) ==
        "已分配内存");
  CHECK(kino::name_text(track(TrackKind::counter, "memory reserved", "memory reserved", "", true)) ==
        "已预留内存");
  CHECK(kino::name_text(track(TrackKind::cpu_thread, "thread 5", "5")) == "线程 5");
  CHECK(kino::name_text(track(TrackKind::cpu_thread, "thread 5 (python)", "5")) == "thread 5 (python)");
  CHECK(kino::name_text(track(TrackKind::cpu_thread, "Total", "5")) == "Total");
  CHECK(kino::name_text(track(TrackKind::counter, "memory reserved", "memory reserved")) ==
        "memory reserved");
}

TEST_CASE("the contents of a stream are translated kind by kind, except for names of collectives") {
  const InChinese chinese;
  const auto contents = [](const char* text) {
    return kino::contents_text(track(TrackKind::gpu_stream, "stream 7", "7", text));
  };
  CHECK(contents("compute, copy") == "计算, 拷贝");
  CHECK(contents("NCCL AllReduce + ReduceScatter, copy") == "NCCL AllReduce + ReduceScatter, 拷贝");
  CHECK(contents("communication all_to_all") == "通信 all_to_all");
  CHECK(contents("").empty());
}

TEST_CASE("a text names the devices of the trace") {
  kino::Trace trace;
  CHECK(kino::device_text(kino::Text::drawer_on_gpu, trace) == "On the GPU");
  kino::Process npu;
  npu.gpu = true;
  npu.title = "NPU 0";
  trace.processes.push_back(npu);
  CHECK(kino::device_text(kino::Text::drawer_on_gpu, trace) == "On the NPU");
  CHECK(kino::device_text(kino::Message(kino::msg::summed_durations_of_their_gpu_work), trace) ==
        "Summed duration of the NPU work of these calls");
  const InChinese chinese;
  CHECK(kino::device_text(kino::Text::drawer_on_gpu, trace) == "NPU 上");
}

TEST_CASE("a term has the same translation in tables and on the ruler") {
  using kino::Language;
  using kino::Text;
  CHECK(kino::message_form(kino::msg::operators, Language::japanese) ==
        kino::message_form(kino::msg::operator_, Language::japanese));
  CHECK(kino::message_form(kino::msg::kernels, Language::chinese) ==
        kino::message_form(kino::msg::kernel, Language::chinese));
  CHECK(std::string(kino::tr(Text::table_step_of, Language::chinese)) ==
        kino::tr(Text::steps_number, Language::chinese));
}
