// An engine on a PostgreSQL database with more to run than it has places for, so that it claims all of it: milliseconds of each claim.
// With `held`, somebody's snapshot stays open all the while, so that the server can clear nothing away.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";

const { url, total, held } = JSON.parse(process.argv[2]);

const built = (path) => import(new URL(`../../dist/${path}/index.js`, import.meta.url).href);
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
let claimed = 0;

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
		return storage;
	};
	return { ...plugin, create };
}

const dataDirectory = await mkdtemp(join(tmpdir(), "svc-bench-"));
const engine = createEngine({
	storage: timed(knexStorage({ client: "postgres", url })),
	event_bus: memoryBus(),
	runners: [localCommand(), noop()],
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

while (claimed < total) {
	if (submitted - claimed < waiting) await Promise.all(Array.from({ length: submittedAtOnce }, submitOne));
	else await new Promise((resolve) => setTimeout(resolve, 1));
}
if (held) await sql.unsafe("commit");
await sql.end();
await engine.stop();
await rm(dataDirectory, { recursive: true });
process.stdout.write(`${JSON.stringify(times)}\n`);
process.stdin.resume();
