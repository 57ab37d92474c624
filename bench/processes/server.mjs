// The service under test, as it is in production: built, in a process of its own, on SQLite as it is by default or on PostgreSQL.
import { setFlagsFromString } from "node:v8";
import { importerOf, listFeatures } from "./import-build.mjs";

// As `svc serve` does.
setFlagsFromString("--heap-growing-percent=50");
const { build, dataDirectory, passwordFile, ballastMegabytes, packs, streamsPerUser, url, workers, metrics, spansTo } = JSON.parse(
	process.argv[2],
);

const built = importerOf(build);
const { createService } = await built("core");
const { knexStorage } = await built("plugins/storage-knex");
const { memoryBus } = await built("plugins/event-bus-memory");
const { postgresBus } = await built("plugins/event-bus-postgres");
const { flatFile } = await built("plugins-auth/flat-file");
const { localCommand } = await built("plugins-runner/local-command");
const { localScript } = await built("plugins-runner/local-script");
const { openTelemetry } = await built("plugins/tracing-opentelemetry");
const { prometheusMetrics } = await built("plugins/metrics-prometheus");
const { noop } = await built("plugins-runner/noop");
const { workflow } = await built("plugins-runner/workflow");

const service = createService(
	{
		...(await listFeatures(build)),
		storage: knexStorage(url === undefined ? { client: "sqlite" } : { client: "postgres", url }),
		event_bus: url === undefined ? memoryBus() : postgresBus({ url }),
		runners: [localCommand(), localScript(), noop(), workflow()],
		packs: [packs],
		data_dir: dataDirectory,
		auth: { backend: flatFile({ file: passwordFile }), port: 0 },
		api: { port: 0 },
		stream: { port: 0, ...(streamsPerUser !== undefined && { max_per_user: streamsPerUser }) },
		...(workers && { workers: { runners: ["local-shell-cmd"] } }),
		telemetry: [...(metrics ? [prometheusMetrics({})] : []), ...(spansTo === undefined ? [] : [openTelemetry({ url: spansTo })])],
		log: { level: "warn" },
	},
	{ adminPassword: process.env.SVC_ADMIN_PASSWORD },
);
const { addresses } = await service.start();
// Written to, so that the pages are there; held to the end of the process.
const ballast = Array.from({ length: ballastMegabytes }, () => Buffer.alloc(1_048_576, 1));

process.stdout.write(`${JSON.stringify({ addresses, ballast: ballast.length })}\n`);
process.stdin.resume().on("end", async () => {
	await service.stop();
	ballast.length = 0;
});
