import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { findCommand, requires, type SkippableTest } from "../test-requirements.ts";
import { findFreePort } from "./free-port.test-support.ts";
import { type ServerProcess, startServerProcess } from "./server-process.test-support.ts";

/** Where the tests find a server that they share; `npm test` starts one and sets it. */
const urlVariable = "SVC_TEST_NATS_URL";

/** Address of the server of the test run, which must be there. */
export function sharedNatsUrl(): string {
	const url = process.env[urlVariable];
	if (!url) throw new Error(`${urlVariable} is not set: run the test by npm test`);
	return url;
}

export interface NatsServer {
	/** `nats://…` */
	readonly url: string;
	/** End it at once. */
	halt(): Promise<void>;
	/** Stop its process without ending it: it takes connections and says nothing, until `thaw`. */
	freeze(): Promise<void>;
	thaw(): void;
	/** Start it again on the same port. */
	resume(): Promise<void>;
	/** May be called twice. */
	stop(): Promise<void>;
}

/** A test function for tests that need nats-server. */
export function natsTest(test: SkippableTest): ReturnType<typeof requires>["test"] {
	return requires(test, { command: "nats-server" }).test;
}

/** A server of its own, with arguments beside those for its address. */
export async function startNats(args: readonly string[] = []): Promise<NatsServer> {
	const port = await findFreePort();
	const start = () =>
		startServerProcess(findCommand("nats-server") ?? "nats-server", ["-a", "127.0.0.1", "-p", String(port), ...args], {
			ready: /Server is ready/,
		});
	let server: ServerProcess | undefined = await start();
	const halt = async () => {
		await server?.end("SIGKILL");
		server = undefined;
	};
	return {
		url: `nats://127.0.0.1:${port}`,
		halt,
		async freeze() {
			server?.child.kill("SIGSTOP");
			// Until all its threads stand still it goes on answering.
			while (server !== undefined && !standsStill(server.child.pid)) await delay(5);
		},
		thaw: () => void server?.child.kill("SIGCONT"),
		async resume() {
			server ??= await start();
		},
		stop: halt,
	};
}

function standsStill(pid: number | undefined): boolean {
	const tasks = `/proc/${pid}/task`;
	return readdirSync(tasks).every((task) => /\) T /.test(readFileSync(`${tasks}/${task}/stat`, "latin1")));
}
