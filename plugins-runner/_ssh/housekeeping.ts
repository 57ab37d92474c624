import type { Connection } from "./connection.ts";
import { createHousekeeping, type Sudo, shellCommand } from "./remote-script.ts";

/** How long it may take, in milliseconds. */
const patience = 10_000;
/** Channels beside those of runs; the hosts allow a few more than the runs take. */
const atOnce = 2;

const busy = new WeakMap<Connection, { running: number; readonly waiting: (() => void)[] }>();

/** Run something of the service's own beside, or after, a run on the same connection. */
export async function runHousekeeping(connection: Connection, text: string, sudo: Sudo | undefined): Promise<void> {
	const state = busy.get(connection) ?? { running: 0, waiting: [] };
	busy.set(connection, state);
	if (state.running >= atOnce) await new Promise<void>((resolve) => state.waiting.push(resolve));
	state.running++;
	try {
		await run(connection, createHousekeeping(text, sudo));
	} finally {
		state.running--;
		state.waiting.shift()?.();
	}
}

async function run(connection: Connection, script: string): Promise<void> {
	const channel = await connection.exec(shellCommand);
	await new Promise<void>((resolve, reject) => {
		const timer = setTimeout(() => {
			channel.destroy();
			reject(new Error(`the host has not finished within ${patience} ms`));
		}, patience);
		let code: number | null | undefined;
		channel.on("exit", (given: number | null) => (code = given));
		channel.on("error", () => {});
		channel.on("close", () => {
			clearTimeout(timer);
			if (code === 0) resolve();
			else reject(new Error(code == null ? "the connection was lost" : `exit code ${code}`));
		});
		channel.resume();
		channel.stderr.resume();
		channel.end(script);
	});
}
