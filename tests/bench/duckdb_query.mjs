// Runs the queries of `kinetoscope_bench --only query` in DuckDB, on one thread, on an export of the same trace:
//   npm install @duckdb/node-api && node duckdb_query.mjs slice.parquet [load]
// Prints the processor time of the first run and the median of three more runs, in ms. `load` copies the file into
// a table first.
import { DuckDBInstance } from '@duckdb/node-api';

const [file, how] = process.argv.slice(2);
const queries = {
  'count': 'SELECT COUNT(*) FROM slice',
  'sum of dur': 'SELECT SUM(dur) FROM slice',
  'group by name': 'SELECT name, COUNT(*), SUM(dur) FROM slice GROUP BY name',
  'group by category, name': 'SELECT category, name, COUNT(*) FROM slice GROUP BY category, name',
  'name like': "SELECT COUNT(*) FROM slice WHERE name LIKE '%gemm%'",
  'kernel - launch join': 'SELECT COUNT(*), SUM(k.ts - l.ts) FROM slice AS k JOIN slice AS l ON l.id = k.link_id ' +
    "WHERE k.category IN ('kernel', 'gpu_memcpy', 'gpu_memset')",
  'by id': 'SELECT name FROM slice WHERE id = 1234',
  'window of 1 %': 'SELECT COUNT(*), SUM(dur) FROM slice, (SELECT MIN(ts) AS b, MAX(ts) - MIN(ts) AS d FROM slice) ' +
    'WHERE ts >= b + d / 2 AND ts < b + d / 2 + d / 100',
  'one track': 'SELECT COUNT(*) FROM slice WHERE track_id = 1',
  'first row': 'SELECT * FROM slice LIMIT 1',
  'median by name': 'SELECT name, median(dur) FROM slice GROUP BY name',
};
const busyMs = () => {
  const used = process.cpuUsage();
  return (used.user + used.system) / 1000;
};
const database = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
const begin = busyMs();
await database.run(`CREATE ${how === 'load' ? 'TABLE' : 'VIEW'} slice AS SELECT * FROM '${file.replaceAll("'", "''")}'`);
console.log('made'.padEnd(26), (busyMs() - begin).toFixed(1));
for (const [what, sql] of Object.entries(queries)) {
  const ms = [];
  for (let i = 0; i < 4; ++i) {
    const start = busyMs();
    await database.runAndReadAll(sql);
    ms.push(busyMs() - start);
  }
  const first = ms.shift();
  console.log(what.padEnd(26), first.toFixed(1), ms.sort((a, b) => a - b)[1].toFixed(1));
}
