#include "app/pages/query/sql_examples.hpp"

#include <array>

namespace kino {

std::span<const SqlExample> sql_examples() {
  static constexpr std::array kExamples{
      SqlExample{Text::sql_example_kernels,
                 R"(SELECT short_name(name) AS kernel, count(*) AS n, sum(dur) AS dur,
       median(dur) AS median_dur, max(dur) AS max_dur
FROM kernel
GROUP BY name ORDER BY dur DESC LIMIT 50)"},
      SqlExample{Text::sql_example_launched,
                 R"(SELECT id, ts, dur, name, op_name, module, launch_delay AS delay_ns, queue_depth
FROM kernel
ORDER BY dur DESC LIMIT 200)"},
      SqlExample{Text::sql_example_gaps, R"(SELECT cause, count(*) AS n, sum(dur) AS dur, max(dur) AS max_dur
FROM gap
GROUP BY cause ORDER BY dur DESC)"},
      SqlExample{Text::sql_example_collectives, R"(SELECT id, ts, dur, name, group_name, bytes, busbw
FROM collective
ORDER BY dur DESC LIMIT 200)"},
      SqlExample{Text::sql_example_syncs, R"(SELECT s.id, s.ts, s.dur, s.name, p.name AS caller
FROM slice s LEFT JOIN slice p ON p.id = s.parent_id
WHERE s.name GLOB '*Synchronize*' OR s.name GLOB '*aten::item*'
ORDER BY s.dur DESC LIMIT 200)"},
      SqlExample{Text::sql_example_steps, R"(SELECT ts, dur, name,
       (SELECT count(*) FROM kernel k WHERE k.ts >= s.ts AND k.ts < s.ts + s.dur) AS kernels
FROM slice s
WHERE name GLOB 'ProfilerStep#*' AND category IS NOT 'gpu_user_annotation'
ORDER BY ts)"},
      SqlExample{Text::sql_example_arguments,
                 R"(SELECT id, ts, dur, name, extract_arg(arg_set_id, 'args.grid[0]') AS grid_x,
       extract_arg(arg_set_id, 'args.registers per thread') AS registers
FROM slice
WHERE category = 'kernel' LIMIT 200)"},
      SqlExample{Text::sql_example_damage, "SELECT * FROM damage"},
  };
  return kExamples;
}

}  // namespace kino
