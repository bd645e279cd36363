INCLUDE PERFETTO MODULE slices.with_context;
CREATE PERFETTO TABLE a AS SELECT ts, dur, track_id AS k, name FROM slice WHERE name LIKE '%m%';
CREATE OR REPLACE PERFETTO FUNCTION f(x LONG) RETURNS LONG AS SELECT $x + 1;
CREATE PERFETTO FUNCTION g(b LONG) RETURNS TABLE(ts LONG) AS SELECT ts FROM a WHERE ts > $b;
CREATE VIRTUAL TABLE j USING SPAN_JOIN(a PARTITIONED k, a PARTITIONED k);
SELECT f(ts), EXTRACT_ARG(arg_set_id, 'args.a[0][1]'), PERCENTILE(dur, 50) OVER () FROM thread_slice
WHERE name REGEXP '^(a|g)+' AND ts >= trace_start() ORDER BY ts;
SELECT (SELECT COUNT(*) FROM ancestor_slice(s.id)), (SELECT COUNT(*) FROM g(3)) FROM slice AS s JOIN flow ON slice_in = s.id;
SELECT SUM(dur) FROM _interval_intersect!((a, (SELECT 1 AS id, ts, dur FROM a)), (k));
SELECT name, COUNT(*) FROM slice GROUP BY name; SELECT * FROM j; SELECT * FROM kernel; SELECT * FROM table_kernels;
