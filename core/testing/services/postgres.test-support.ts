import { execFile, execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import postgres from "postgres";
import { findCommand, requires, type SkippableTest } from "../test-requirements.ts";
import { findFreePort } from "./free-port.test-support.ts";
import { type ServerProcess, startServerProcess } from "./server-process.test-support.ts";

const run = promisify(execFile);

/** Where the tests find a server that they may make databases on; `npm test` starts one and sets it. */
const urlVariable = "SVC_TEST_POSTGRES_URL";
/** Name of a database that others are copies of, where the test run has made one. */
const templateVariable = "SVC_TEST_POSTGRES_TEMPLATE";

export interface TestDatabase {
	/** `postgres://…`, with a database of its own. */
	readonly url: string;
	/** Remove the database, also when somebody is connected to it. */
	drop(): Promise<void>;
}

/** A database whose address is known before there is one. */
export interface PlannedDatabase extends TestDatabase {
	create(): Promise<void>;
	/** Remove all records of the service, and leave its tables. */
	empty(): Promise<void>;
}

export interface PostgresServer {
	/** Address of the database `postgres`, as its superuser. */
	readonly url: string;
	readonly port: number;
	/** @param template name of the database to copy, to which no client may be connected. Default: an empty one. */
	createDatabase(template?: string): Promise<TestDatabase>;
	/** End it, at once as a crash would with `KILL`; `fast` (default) cuts off connections in order. */
	halt(how?: "fast" | "kill"): Promise<void>;
	/** Start it again on the same port and data. */
	resume(): Promise<void>;
	/** End it and remove its files. May be called twice. */
	stop(): Promise<void>;
}

/** A test function for tests that need a PostgreSQL server. */
export function postgresTest(test: SkippableTest): ReturnType<typeof requires>["test"] {
	return process.env[urlVariable] ? test : requires(test, { command: "postgres" }).test;
}

/** A server of its own, for tests that stop it. Others use `createTestDatabase`. */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
	const owner = findOwner();
	const directory = await mkdtemp(join(tmpdir(), "svc-postgres-"));
	if (owner !== undefined) chownSync(directory, owner.uid, owner.gid);
	const data = join(directory, "data");
	const environment = { PATH: process.env["PATH"], LC_ALL: "C", TMPDIR: tmpdir() };
	const initdb = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"];
	await run(toCommand("initdb"), initdb, { ...owner, cwd: "/", env: environment });
	const port = await findFreePort();
	// What is committed outlives a kill of the server, which tests do; a loss of power, which they do not, it need not.
	const all = { fsync: "off", full_page_writes: "off", max_connections: "200", unix_socket_directories: "", ...settings };
	const options = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
	const args = ["-D", data, "-h", "127.0.0.1", "-p", String(port), ...options];
	const start = () => startServerProcess(toCommand("postgres"), args, { ...owner, env: environment, ready: /ready to accept connections/ });
	let server: ServerProcess | undefined = await start();
	const halt = async (how: "fast" | "kill" = "fast") => {
		await server?.end(how === "kill" ? "SIGQUIT" : "SIGINT");
		server = undefined;
	};
	const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
	return {
		url,
		port,
		createDatabase: (template) => createDatabase(url, template),
		halt,
		async resume() {
			server ??= await start();
		},
		async stop() {
			await halt();
			await rm(directory, { recursive: true, force: true });
		},
	};
}

/** A database of its own on the server of the test run, or on one that is started for it. */
export async function createTestDatabase(): Promise<TestDatabase> {
	const url = process.env[urlVariable];
	if (url) return createDatabase(url);
	const server = await startPostgres();
	const database = await server.createDatabase();
	return { url: database.url, drop: () => server.stop() };
}

/** A database of its own on the server of the test run, which must be there; a copy of the run's template where it has one. */
export function planTestDatabase(): PlannedDatabase {
	const url = process.env[urlVariable];
	if (!url) throw new Error(`${urlVariable} is not set: run the test by npm test`);
	return planDatabase(url, process.env[templateVariable]);
}

async function createDatabase(serverUrl: string, template?: string): Promise<TestDatabase> {
	const { url, create, drop } = planDatabase(serverUrl, template);
	await create();
	return { url, drop };
}

function planDatabase(serverUrl: string, template = "template1"): PlannedDatabase {
	const name = `svc_${randomBytes(6).toString("hex")}`;
	const url = new URL(serverUrl);
	url.pathname = `/${name}`;
	return {
		url: url.href,
		create: () => administer(serverUrl, `create database ${name} template ${template}`),
		empty: () => administer(url.href, emptyTables),
		drop: () => administer(serverUrl, `drop database if exists ${name} with (force)`),
	};
}

/**
 * Uses `delete`, as `truncate` creates new files for each table, and only on tables that were written to: most tests write to few. Fails if a
 * client still holds a lock.
 */
const emptyTables = `set lock_timeout = '10s';
do $$ declare name text; begin
	for name in select oid::regclass::text from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
		and relname not like 'migrations%' and pg_relation_size(oid) > 0
	loop execute format('delete from %s', name); end loop;
end $$`;

async function administer(url: string, sql: string): Promise<void> {
	const client = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} });
	try {
		await client.unsafe(sql);
	} finally {
		await client.end({ timeout: 1 });
	}
}

function toCommand(name: string): string {
	const file = findCommand(name);
	if (file === undefined) throw new Error(`command ${name} is not installed`);
	return file;
}

/** The server refuses to run as root; Debian's package makes a user for it. */
function findOwner(): { readonly uid: number; readonly gid: number } | undefined {
	if (process.getuid?.() !== 0) return undefined;
	const idOf = (kind: "-u" | "-g") => Number(execFileSync("id", [kind, "postgres"], { encoding: "utf8" }));
	return { uid: idOf("-u"), gid: idOf("-g") };
}
