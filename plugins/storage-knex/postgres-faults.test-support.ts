import * as assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import postgres from "postgres";
import type { PostgresServer } from "../../core/testing/services/postgres.test-support.ts";
import { administer } from "./postgres-database.test-support.ts";

/** End what a service is connected with to this database. */
export async function endConnections(url: string, condition = "true"): Promise<void> {
	const others = "datname = current_database() and pid <> pg_backend_pid() and application_name = 'svc'";
	// Waits until they are gone: one that ends in the middle of the next statement is another matter.
	await administer(url, `select pg_terminate_backend(pid, 5000) from pg_stat_activity where ${others} and ${condition}`);
}

/** Keeps writers of a table waiting until it is released. */
export async function holdLock(url: string, table: string): Promise<{ waitForWaiting(): Promise<void>; release(): Promise<void> }> {
	const client = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} });
	await client.unsafe(`begin; lock table ${table} in exclusive mode`);
	return {
		async waitForWaiting() {
			for (;;) {
				// Other tests use databases of the same server meanwhile.
				const sessions = "select pid from pg_stat_activity where datname = current_database()";
				const waiting = await client.unsafe(`select 1 from pg_locks where not granted and pid in (${sessions})`);
				if (waiting.length > 0) return;
				await wait(10);
			}
		},
		async release() {
			await client.unsafe("commit");
			await client.end({ timeout: 1 });
		},
	};
}

/** The server and the processes it has made. */
function findServerProcesses({ port }: PostgresServer): number[] {
	const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
	const read = (file: string) => {
		try {
			return readFileSync(file, "utf8");
		} catch {
			return "";
		}
	};
	const parent = processes.find((pid) => read(`/proc/${pid}/cmdline`).includes(`\0-p\0${port}\0`));
	assert.ok(parent);
	const children = processes.filter((pid) => / \w (\d+) /.exec(read(`/proc/${pid}/stat`).replace(/^.*\)/, ""))?.[1] === parent);
	return [parent, ...children].map(Number);
}

/** Have it go on. */
export function resumeServerProcesses(processes: readonly number[]): void {
	for (const pid of processes) signal(pid, "SIGCONT");
}

/** One that has ended meanwhile hears nothing. */
function signal(pid: number, name: "SIGSTOP" | "SIGCONT"): void {
	try {
		process.kill(pid, name);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
	}
}

/** Have a server stand still, with all that it has begun by then: those that it made while they were looked for as well. */
export function stopServerProcesses(server: PostgresServer): readonly number[] {
	const stopped = new Set<number>();
	for (;;) {
		const moving = findServerProcesses(server).filter((pid) => !stopped.has(pid));
		if (moving.length === 0) return [...stopped];
		for (const pid of moving) {
			stopped.add(pid);
			signal(pid, "SIGSTOP");
		}
	}
}
