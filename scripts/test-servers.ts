import { type RunServers, startRunNats, startRunPostgres } from "../core/testing/backends/backend-servers.test-support.ts";
import { missing } from "../core/testing/requires.ts";

const servers: RunServers[] = [];

/** Servers for all files of a run: without them some of the files would start their own. What is not installed is left out. */
export async function startServers({ postgres, nats }: { readonly postgres: boolean; readonly nats: boolean }): Promise<void> {
	if (postgres && !process.env["SVC_TEST_POSTGRES_URL"] && missing({ command: "postgres" }) === undefined)
		servers.push(await startRunPostgres());
	if (nats && !process.env["SVC_TEST_NATS_URL"] && missing({ command: "nats-server" }) === undefined) servers.push(await startRunNats());
	for (const { environment } of servers) Object.assign(process.env, environment);
}

export async function stopServers(): Promise<void> {
	for (const { stop } of servers.splice(0)) await stop();
}
