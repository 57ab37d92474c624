// Fills a new database of the service with a history, past the service: one execution after the other would take an hour.
// Tables, catalog and snapshots are made by the service itself.
import { closeSync, fsyncSync, openSync } from "node:fs";
import { makeHistory, toHistoryNames } from "./history-rows.mjs";
import { importerOf } from "./import-build.mjs";

const { build, dataDirectory, url, count } = JSON.parse(process.argv[2]);

const built = importerOf(build);
const { createEngine } = await built("core");
const { createPluginContext } = await built("core/testing");
const { knexStorage } = await built("plugins/storage-knex");
const { memoryBus } = await built("plugins/event-bus-memory");
const { localCommand } = await built("plugins-runner/local-command");
const { noop } = await built("plugins-runner/noop");

const actionCount = 300;
/** Rows of one piece of work. */
const batch = 5_000;
const kinds = { trace: "traces", trigger_instance: "trigger_instances", execution: "executions", output_chunk: "output_chunks" };
const storage = knexStorage(url === undefined ? { client: "sqlite" } : { client: "postgres", url });

/** Packs, actions and runner types are in the database afterwards. */
async function registerCatalog() {
	const runners = [localCommand(), noop()];
	const config = { storage, event_bus: memoryBus(), runners, data_dir: dataDirectory, auth: { enable: false }, log: { level: "warn" } };
	const engine = createEngine(config);
	await engine.start();
	await engine.stop();
}

/** Store snapshots of actions that are copies of those there are; what executions need to know of them. */
async function addActions() {
	const instance = storage.create();
	await instance.start(createPluginContext({ dataDirectory }));
	const runners = new Map((await instance.find("runner_type", {})).map((runner) => [runner.name, runner]));
	const known = (await instance.find("action", {})).filter(({ runner_type }) => runners.has(runner_type));
	const snapshots = Array.from({ length: actionCount }, (_none, index) => {
		const base = known[index % known.length];
		const [pack, name] = [`pack-${index % 12}`, `action-${index}`];
		const id = index.toString(16).padStart(24, "0");
		return { id, action: { ...base, pack, name, ref: `${pack}.${name}` }, runner: runners.get(base.runner_type) };
	});
	await instance.insert("snapshot", snapshots);
	await instance.stop();
	return snapshots.map(({ id, action, runner }) => ({ ref: action.ref, pack: action.pack, runner: runner.name, snapshot_id: id }));
}

/** Rows by table in pieces, each row with the values of `columns`. */
function* toPieces(rows, columnsOf) {
	const waiting = new Map();
	for (const [kind, entity] of rows) {
		const values = columnsOf(kind).map((column) => toValue(entity[column]));
		const piece = waiting.get(kind) ?? [];
		waiting.set(kind, piece);
		piece.push(values);
		if (piece.length === batch) {
			yield [kind, piece];
			waiting.delete(kind);
		}
	}
	yield* waiting;
}

/** What later versions of the service have added is null, as in records of earlier ones. */
function toValue(value = null) {
	return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}

async function fillSqlite(rows) {
	const { default: Database } = await import("libsql");
	const database = new Database(`${dataDirectory}/svc.db`);
	database.exec("PRAGMA synchronous = OFF");
	database.exec("PRAGMA cache_size = -500000");
	const tables = Object.values(kinds)
		.map((table) => `'${table}'`)
		.join();
	const indexes = database.prepare(
		`select name, sql from sqlite_master where type = 'index' and tbl_name in (${tables}) and sql is not null`,
	);
	const known = indexes.all();
	for (const { name } of known) database.exec(`drop index "${name}"`);
	const columns = new Map();
	const inserts = new Map();
	for (const [kind, table] of Object.entries(kinds)) {
		const names = database
			.prepare(`select name from pragma_table_info('${table}')`)
			.all()
			.map(({ name }) => name);
		columns.set(kind, names);
		inserts.set(kind, database.prepare(`insert into ${table} (${names.map((name) => `"${name}"`)}) values (${names.map(() => "?")})`));
	}
	for (const [kind, piece] of toPieces(rows, (each) => columns.get(each))) {
		database.exec("BEGIN");
		for (const values of piece) inserts.get(kind).run(values);
		database.exec("COMMIT");
	}
	for (const { sql } of known) database.exec(sql);
	database.close();
	// Otherwise the system writes it while others measure.
	const file = openSync(`${dataDirectory}/svc.db`, "r+");
	fsyncSync(file);
	closeSync(file);
}

async function fillPostgres(rows) {
	const { default: postgres } = await import("postgres");
	const { pipeline } = await import("node:stream/promises");
	const sql = postgres(url, { max: 1, onnotice: () => undefined });
	const columns = new Map();
	for (const [kind, table] of Object.entries(kinds)) {
		const found = await sql`select column_name from information_schema.columns where table_name = ${table} order by ordinal_position`;
		columns.set(
			kind,
			found.map(({ column_name }) => column_name),
		);
	}
	const indexes = await sql`
		select indexname, indexdef from pg_indexes where tablename in ${sql(Object.values(kinds))}
		and indexname not in (select conname from pg_constraint)`;
	for (const { indexname } of indexes) await sql`drop index ${sql(indexname)}`;
	for (const [kind, piece] of toPieces(rows, (each) => columns.get(each))) {
		const copy = await sql`copy ${sql(kinds[kind])} (${sql(columns.get(kind))}) from stdin`.writable();
		await pipeline([piece.map(toCopyLine).join("")], copy);
	}
	for (const { indexdef } of indexes) await sql.unsafe(indexdef);
	// As the server's own housekeeping would have done long ago; its next one takes minutes otherwise, in which it writes gigabytes.
	for (const table of Object.values(kinds)) await sql`vacuum analyze ${sql(table)}`;
	await sql`checkpoint`;
	await sql.end();
}

function toCopyLine(values) {
	const escapes = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
	const toText = (value) => (value === null ? "\\N" : String(value).replace(/[\\\n\r\t]/g, (character) => escapes[character]));
	return `${values.map(toText).join("\t")}\n`;
}

await registerCatalog();
const names = toHistoryNames(await addActions());
const rows = makeHistory({ count, now: Date.now() * 1000, names });
await (url === undefined ? fillSqlite(rows) : fillPostgres(rows));

process.stdout.write(`${JSON.stringify({ names })}\n`);
process.stdin.resume();
