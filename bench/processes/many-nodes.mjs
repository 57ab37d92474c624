// Many nodes on one PostgreSQL server, each with one connection for its records: how many connections there are while all of them work.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";

const { url, nodes, executions } = JSON.parse(process.argv[2]);

const built = (path) => import(new URL(`../../dist/${path}/index.js`, import.meta.url).href);
const { createEngine } = await built("core");
const { knexStorage } = await built("plugins/storage-knex");
const { postgresBus } = await built("plugins/event-bus-postgres");
const { localCommand } = await built("plugins-runner/local-command");
const { noop } = await built("plugins-runner/noop");

const principal = { username: "admin", isAdmin: true, authentication: { method: "none" } };
const dataDirectory = await mkdtemp(join(tmpdir(), "svc-bench-"));
const engines = [];
for (let number = 0; number < nodes; number++) {
	const engine = createEngine({
		storage: knexStorage({ client: "postgres", url, pool_size: 1 }),
		event_bus: postgresBus({ url }),
		runners: [localCommand(), noop()],
		data_dir: join(dataDirectory, String(number)),
		auth: { enable: false },
		log: { level: "error" },
	});
	await engine.start();
	engines.push(engine);
}
const sql = postgres(url, { max: 1, onnotice: () => undefined });
let most = 0;

async function count() {
	const [{ connections }] = await sql.unsafe(
		// Those of others only: the server's own processes that tidy up in the database are no connections.
		`select count(*)::int as connections from pg_stat_activity
			where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
	);
	most = Math.max(most, connections);
}

async function work(engine) {
	for (let number = 0; number < executions; number++) await engine.executions.submit({ action: "core.noop", parameters: {} }, principal);
}

const timer = setInterval(() => void count(), 100);
await Promise.all(engines.map(work));
await count();
clearInterval(timer);
await sql.end();
for (const engine of engines) await engine.stop();
await rm(dataDirectory, { recursive: true });
process.stdout.write(`${JSON.stringify({ connections: most })}\n`);
process.stdin.resume();
