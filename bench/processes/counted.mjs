// Preloaded into a service: counts what it does while its parent asks for it. The first message names what to count, the next one ends it.
import { Session } from "node:inspector/promises";
import { createRequire } from "node:module";
import { join } from "node:path";

const { build } = JSON.parse(process.argv[2]);
const counts = { statements: 0, commits: 0 };

/** Counts calls of methods that are inherited by every connection, or by every statement. */
function countCalls(prototype, names, onCall) {
	for (const name of names) {
		const method = prototype[name];
		prototype[name] = function (...parts) {
			const result = method.apply(this, parts);
			onCall(this, parts, result);
			return result;
		};
	}
}

/** Statements since plans were asked for, by their text. */
const requested = new Map();

/** How SQLite carries out what has been read since then. */
function readPlans() {
	const reads = [...requested].filter(([sql]) => /^\s*(select|with)\b/i.test(sql));
	return reads.map(([sql, { database, bindings, times }]) => {
		const plan = database.prepare(`explain query plan ${sql}`).all(bindings);
		return { times, plan: plan.map(({ detail }) => detail) };
	});
}

function countStatements() {
	const load = createRequire(join(build, "core", "index.js"));
	const onText = (_database, [text]) => {
		counts.statements += 1;
		if (text.includes("COMMIT")) counts.commits += 1;
	};
	const Database = load("libsql");
	countCalls(Database.prototype, ["exec"], onText);
	countCalls(load("libsql/promise").prototype, ["exec"], onText);
	const memory = new Database(":memory:");
	const texts = new WeakMap();
	countCalls(Database.prototype, ["prepare"], (database, [sql], statement) => texts.set(statement, { database, sql }));
	const onCall = (statement, [bindings = []]) => {
		counts.statements += 1;
		if (underWay !== kinds.plans) return;
		const { database, sql } = texts.get(statement);
		const known = requested.get(sql);
		requested.set(sql, { database, bindings, times: (known?.times ?? 0) + 1 });
	};
	countCalls(Object.getPrototypeOf(memory.prepare("select 1")), ["run", "all", "get"], onCall);
	memory.close();
}

/** Calls of each function since the last reading, by its name and whether it is of the build or of a package. */
async function readCalls(session) {
	const { result } = await session.post("Profiler.takePreciseCoverage");
	const calls = {};
	for (const { url, functions } of result) {
		const origin = url.startsWith("node:") ? "node" : url.includes("/node_modules/") ? "packages" : "service";
		for (const { functionName, ranges } of functions) {
			const key = `${functionName || "(anonymous)"} (${origin})`;
			calls[key] = (calls[key] ?? 0) + ranges[0].count;
		}
	}
	return calls;
}

/** Bytes between two samples of the heap profiler, which counts garbage too. */
const samplingInterval = 4_096;

function sumSizes({ selfSize, children }) {
	return children.reduce((sum, child) => sum + sumSizes(child), selfSize);
}

const session = new Session();
const kinds = {
	bytes: {
		async begin() {
			session.connect();
			const collected = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true };
			await session.post("HeapProfiler.startSampling", { samplingInterval, ...collected });
		},
		async end() {
			const { profile } = await session.post("HeapProfiler.stopSampling");
			session.disconnect();
			return { bytes: sumSizes(profile.head) };
		},
	},
	plans: {
		begin: () => requested.clear(),
		end: readPlans,
	},
	calls: {
		async begin() {
			session.connect();
			await session.post("Profiler.enable");
			await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
			await readCalls(session);
			Object.assign(counts, { statements: 0, commits: 0 });
		},
		async end() {
			const { statements, commits } = counts;
			const calls = await readCalls(session);
			session.disconnect();
			return { statements, commits, calls };
		},
	},
};

let underWay;
countStatements();
process.on("message", async (name) => {
	if (underWay === undefined) {
		underWay = kinds[name];
		await underWay.begin();
		process.send({});
	} else {
		const ended = underWay;
		underWay = undefined;
		process.send(await ended.end());
	}
});
// The service ends by its standard input.
process.channel.unref();
