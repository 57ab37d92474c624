import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

export interface ServerProcess {
	readonly child: ChildProcess;
	/** What it has printed so far. */
	log(): string;
	/** Send a signal and wait for the end. */
	end(signal: NodeJS.Signals): Promise<void>;
}

export interface ServerProcessOptions {
	/** User and group it runs as; default this process's. */
	readonly uid?: number;
	readonly gid?: number;
	readonly env?: NodeJS.ProcessEnv;
	/** What it prints once it is ready. */
	readonly ready: RegExp;
}

/** Start a server and wait until it says that it is ready. Rejects with what it has printed when it ends before. */
export async function startServerProcess(command: string, args: readonly string[], options: ServerProcessOptions): Promise<ServerProcess> {
	const { ready, ...identity } = options;
	const child = spawn(command, args, { ...identity, cwd: "/", stdio: ["ignore", "pipe", "pipe"] });
	let log = "";
	const closed = once(child, "close");
	await new Promise<void>((resolve, reject) => {
		const read = (piece: Buffer) => {
			log += String(piece);
			if (ready.test(log)) resolve();
		};
		child.stdout.on("data", read);
		child.stderr.on("data", read);
		child.once("error", reject);
		child.once("exit", () => reject(new Error(`${command} does not start: ${log}`)));
	});
	return {
		child,
		log: () => log,
		async end(signal) {
			if (child.exitCode === null && child.signalCode === null) child.kill(signal);
			await closed;
		},
	};
}
