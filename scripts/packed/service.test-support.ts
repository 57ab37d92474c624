import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { describeProcess, findByEnvironment } from "../../core/testing/guarantees/processes.test-support.ts";
import { until } from "../../core/testing/guarantees/until.test-support.ts";

export interface StartOptions {
	/** Of the project: what relative paths are relative to, and where its own command is found. */
	readonly directory: string;
	/** The command, and its arguments before `serve`. Default: `npx svc`. */
	readonly command?: readonly [file: string, ...args: string[]];
	readonly config?: string;
	/** Keeps the database; one that is not there is made. */
	readonly data: string;
	readonly env: NodeJS.ProcessEnv;
}

/** A service of the packed package in processes of its own. */
export interface PackedService {
	/** Environment in which the command talks to it. */
	readonly env: NodeJS.ProcessEnv;
	/** All that it has printed and logged. */
	printed(): string;
	/** TERM to the process of the service, as npx does not pass it on; the exit code of what was started. */
	stop(): Promise<number | null>;
}

/** Start it and wait until it answers. Rejects with what it printed when it ends before. */
export async function startPacked(options: StartOptions): Promise<PackedService> {
	const { directory, command = ["npx", "svc"], config, data } = options;
	const [file, ...args] = command;
	const env = {
		...options.env,
		...{ SVC_AUTH_PORT: "0", SVC_API_PORT: "0", SVC_STREAM_PORT: "0" },
		...{ SVC_DATA_DIR: join(directory, data), SVC_ADMIN_PASSWORD: "packed", NO_COLOR: "1" },
	};
	const child = spawn(file, [...args, "serve", ...(config === undefined ? [] : ["--config", config])], {
		cwd: directory,
		env,
		stdio: ["ignore", "pipe", "pipe"],
	});
	const output = follow(child);
	const address = await until("the service answers", 120, () => {
		if (output.code() !== undefined) throw new Error(`the service ended with ${output.code()}: ${output.text()}`);
		return /^API\s+(http\S+)$/m.exec(output.text())?.[1];
	}).catch((error: unknown) => {
		end(env.SVC_DATA_DIR, "SIGKILL");
		throw error;
	});
	return {
		env: { ...env, SVC_API_URL: address, SVC_CLI_SKIP_CONFIG: "1" },
		printed: output.text,
		async stop() {
			end(env.SVC_DATA_DIR, "SIGTERM");
			return until("the service ends", 60, output.code).finally(() => end(env.SVC_DATA_DIR, "SIGKILL"));
		},
	};
}

function end(dataDirectory: string, signal: NodeJS.Signals): void {
	for (const pid of findByEnvironment(`SVC_DATA_DIR=${dataDirectory}\0`)) {
		if (/\((\S*\/)?node .*(\.bin\/svc|main\.js) serve/.test(describeProcess(pid))) process.kill(pid, signal);
	}
}

/** What a process prints, and its exit code once it has ended. */
export function follow(child: ChildProcess): { text(): string; code(): number | null | undefined } {
	let [text, code]: [string, number | null | undefined] = ["", undefined];
	const add = (piece: Buffer) => {
		text += piece;
	};
	child.stdout?.on("data", add);
	child.stderr?.on("data", add);
	child.on("error", (error) => add(Buffer.from(error.message)));
	child.on("close", (ended) => {
		code = ended;
	});
	return { text: () => text, code: () => code };
}
