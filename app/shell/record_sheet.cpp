#include "app/shell/record_sheet.hpp"

#include <array>
#include <string>

#include <imgui.h>

#include "app/ui/widgets/details_widgets.hpp"
#include "app/ui/widgets/fonts.hpp"
#include "app/ui/widgets/sheet.hpp"
#include "app/ui/widgets/text_drawing.hpp"
#include "app/ui/widgets/widgets.hpp"

namespace kino {
namespace {

constexpr std::string_view kTrace =
    R"(from torch.profiler import ProfilerActivity, profile, schedule, tensorboard_trace_handler

with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],
             schedule=schedule(wait=2, warmup=2, active=3, repeat=1),
             on_trace_ready=tensorboard_trace_handler("traces", use_gzip=True),
             record_shapes=True, with_stack=True, profile_memory=True) as profiler:
    for batch in loader:
        train_step(batch)
        profiler.step()  # marks the end of a training step
)";

constexpr std::string_view kSnapshot =
    R"(torch.cuda.memory._record_memory_history(max_entries=1_000_000)
train_step(batch)
torch.cuda.memory._dump_snapshot("snapshot.pickle")
)";

constexpr std::string_view kOutOfMemory =
    R"(torch.cuda.memory._record_memory_history(max_entries=1_000_000)
rank = torch.distributed.get_rank() if torch.distributed.is_initialized() else 0

def dump(device, requested, total, free):
    torch.cuda.memory._dump_snapshot(f"out_of_memory_rank{rank}.pickle")

torch._C._cuda_attach_out_of_memory_observer(dump)
)";

// Renamed variables are set under both names, because each version of PyTorch reads one of them.
constexpr std::string_view kHang =
    R"(import os
os.makedirs("hang", exist_ok=True)
os.environ["TORCH_NCCL_TRACE_BUFFER_SIZE"] = os.environ["TORCH_FR_BUFFER_SIZE"] = "2000"
os.environ["TORCH_NCCL_DUMP_ON_TIMEOUT"] = "1"
os.environ["TORCH_NCCL_DEBUG_INFO_TEMP_FILE"] = os.environ["TORCH_FR_DUMP_TEMP_FILE"] = "hang/nccl_trace_rank_"
torch.distributed.init_process_group("nccl")
)";

constexpr std::array kRecipes = {
    RecordRecipe{Text::record_trace, kTrace}, RecordRecipe{Text::record_snapshot, kSnapshot},
    RecordRecipe{Text::record_out_of_memory, kOutOfMemory}, RecordRecipe{Text::record_hang, kHang}};

}  // namespace

std::span<const RecordRecipe> record_recipes() { return kRecipes; }

void draw_record_sheet(bool& open, const Theme& theme) {
  if (!begin_sheet(Text::command_record, open, ImVec2(58, 44))) return;
  const float em = ImGui::GetFontSize();
  for (const RecordRecipe& recipe : kRecipes) {
    ImGui::PushID(recipe.python.data());
    wrapped_text(theme.text, tr(recipe.title));
    copy_button(Text::record_copy, recipe.python);
    const float width = ImGui::GetContentRegionAvail().x;
    ImGui::PushStyleColor(ImGuiCol_ChildBg, theme.window);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(em * 0.6F, em * 0.4F));
    ImGui::PushFont(mono_font());
    const float height =
        ImGui::CalcTextSize(recipe.python.data(), recipe.python.data() + recipe.python.size() - 1).y +
        em * 0.8F + ImGui::GetStyle().ScrollbarSize;
    ImGui::PopFont();
    ImGui::BeginChild("python", ImVec2(width, height), false,
                      ImGuiWindowFlags_AlwaysUseWindowPadding | ImGuiWindowFlags_HorizontalScrollbar);
    ImGui::PushFont(mono_font());
    colored_text(theme.text, recipe.python.substr(0, recipe.python.size() - 1));
    ImGui::PopFont();
    ImGui::EndChild();
    ImGui::PopStyleVar();
    ImGui::PopStyleColor();
    ImGui::Dummy(ImVec2(0, em * 0.5F));
    ImGui::PopID();
  }
  ImGui::EndPopup();
}

}  // namespace kino
