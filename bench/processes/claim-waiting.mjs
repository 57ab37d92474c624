// An engine on a PostgreSQL database with more to run than it has places for, so that it claims nearly all of it: milliseconds of each
// claim. With `held`, somebody's snapshot stays open all the while, so that the server can clear nothing away.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { importerOf } from "./import-build.mjs";

const { build, url, seconds, held } = JSON.parse(process.argv[2]);

const built = importerOf(build);
const { createEngine } = await built("core");
const { knexStorage } = await built("plugins/storage-knex");
const { memoryBus } = await built("plugins/event-bus-memory");
const { localCommand } = await built("plugins-runner/local-command");
const { noop } = await built("plugins-runner/noop");

/** That wait at a time. */
const waiting = 200;
const submittedAtOnce = 20;
const principal = { username: "admin", isAdmin: true, authentication: { method: "none" } };
const times = [];
let [claimed, storedClaimed] = [0, 0];

/** Runs of its actions take a place, and wait for one: as it is, it says their result without a run. */
function placeTaking(plugin) {
	return {
		...plugin,
		create: (...parts) => {
			const { runAtOnce: _, ...runner } = plugin.create(...parts);
			return runner;
		},
	};
}

function timed(plugin) {
	const create = (...parts) => {
		const storage = plugin.create(...parts);
		const claim = storage.claim.bind(storage);
		storage.claim = async (kind, query, patch) => {
			const begun = performance.now();
			const found = await claim(kind, query, patch);
			if (kind !== "execution" || patch.status !== "scheduled" || found.length === 0) return found;
			times.push(performance.now() - begun);
			claimed += found.length;
			return found;
		};
		// What finds a place at once is stored as claimed already, and waits for no claim.
		const isClaimed = (kind, { fence }) => kind === "execution" && typeof fence === "string";
		const insert = storage.insert.bind(storage);
		storage.insert = async (kind, entities) => {
			await insert(kind, entities);
			storedClaimed += entities.filter((entity) => isClaimed(kind, entity)).length;
		};
		const write = storage.write.bind(storage);
		storage.write = async (operations) => {
			await write(operations);
			const entities = operations.flatMap((operation) =>
				"insert" in operation ? operation.entities.map((entity) => [operation.insert, entity]) : [],
			);
			storedClaimed += entities.filter(([kind, entity]) => isClaimed(kind, entity)).length;
		};
		return storage;
	};
	return { ...plugin, create };
}

const dataDirectory = await mkdtemp(join(tmpdir(), "svc-bench-"));
const engine = createEngine({
	storage: timed(knexStorage({ client: "postgres", url })),
	event_bus: memoryBus(),
	runners: [localCommand(), placeTaking(noop())],
	data_dir: dataDirectory,
	auth: { enable: false },
	log: { level: "warn" },
	actionrunner: { actions_pool_size: 16 },
});
await engine.start();
const sql = postgres(url, { max: 1, onnotice: () => undefined });
if (held) {
	await sql.unsafe("begin isolation level repeatable read");
	await sql.unsafe("select 1 from executions limit 1");
}

let submitted = 0;

async function submitOne() {
	submitted += 1;
	await engine.executions.submit({ action: "core.noop", parameters: {} }, principal);
}

const begun = performance.now();
while (performance.now() - begun < 1_000 * seconds) {
	if (submitted - claimed - storedClaimed < waiting) await Promise.all(Array.from({ length: submittedAtOnce }, submitOne));
	else await new Promise((resolve) => setTimeout(resolve, 1));
}
if (held) await sql.unsafe("commit");
await sql.end();
await engine.stop();
if (times.length === 0) throw new Error("nothing waited, so nothing was claimed");
await rm(dataDirectory, { recursive: true });
process.stdout.write(`${JSON.stringify({ times, claimed, storedClaimed })}\n`);
process.stdin.resume();
