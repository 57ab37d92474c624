// What running on PostgreSQL is compared with: one process of graphile-worker that runs jobs which do nothing. The package is in a
// directory that the benchmark has made.
import { createRequire } from "node:module";

const { directory, url, concurrency } = JSON.parse(process.argv[2]);
const { run, Logger } = createRequire(`${directory}/`)("graphile-worker");

const runner = await run({
	connectionString: url,
	concurrency,
	maxPoolSize: concurrency,
	noHandleSignals: true,
	pollInterval: 1_000,
	taskList: { noop: async () => {} },
	logger: new Logger(() => () => {}),
});
process.stdout.write(`${JSON.stringify({ concurrency })}\n`);
process.stdin.resume().on("end", () => runner.stop());
