import { makeRunSqlite, type RunServers, startRunNats, startRunPostgres } from "../core/testing/backends/backend-servers.test-support.ts";
import { missing } from "../core/testing/test-requirements.ts";
import { findMemoryDisk } from "./memory-disk.ts";

const servers: RunServers[] = [];

/** Servers for all files of a run: without them some of the files would start their own. What is not installed is left out. */
export async function startServers({ postgres, nats, sqlite }: Record<"postgres" | "nats" | "sqlite", boolean>): Promise<void> {
	if (sqlite && missing({ package: "libsql" }) === undefined) servers.push(await inMemory(makeRunSqlite));
	if (postgres && !process.env["SVC_TEST_POSTGRES_URL"] && missing({ command: "postgres" }) === undefined)
		servers.push(await inMemory(startRunPostgres));
	if (nats && !process.env["SVC_TEST_NATS_URL"] && missing({ command: "nats-server" }) === undefined) servers.push(await startRunNats());
	for (const { environment } of servers) Object.assign(process.env, environment);
}

export async function stopServers(): Promise<void> {
	for (const { stop } of servers.splice(0)) await stop();
}

/** Where there is a disk in memory, with the files of what is started there. */
async function inMemory<T>(start: () => Promise<T>): Promise<T> {
	const { TMPDIR: before } = process.env;
	Object.assign(process.env, inMemoryDisk());
	try {
		return await start();
	} finally {
		if (before === undefined) delete process.env["TMPDIR"];
		else process.env["TMPDIR"] = before;
	}
}

/** The variable by which programs find it. */
export function inMemoryDisk(): { readonly TMPDIR?: string } {
	const disk = findMemoryDisk();
	return disk === undefined ? {} : { TMPDIR: disk };
}
