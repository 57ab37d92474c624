import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Problem } from "./judge.ts";
import { makePlaces } from "./places.ts";
import type { Report } from "./watch-process.ts";
import { Watchdog } from "./watchdog.ts";

const program = fileURLToPath(new URL("../../dist/plugins/_shipped/main.js", import.meta.url));
const config = fileURLToPath(new URL("./svc.config.ts", import.meta.url));
export const password = "a password";

/** Milliseconds the event loop may be blocked. */
const stallLimit = 200;
/** Milliseconds it may take to start, and to stop. */
const startLimit = 60_000;
const stopLimit = 30_000;

export type Stall = Extract<Report, { kind: "stall" }>;

/** A process of the service on a SQLite database, which tells of itself what no answer tells. */
export class ServiceProcess {
	readonly api: string;
	readonly #child: ChildProcess;
	readonly #exited: Promise<number | string>;
	readonly #watchdog: Watchdog;
	readonly #stalls: Stall[] = [];
	readonly #log: string[] = [];
	#uncaught: string | undefined;
	#idle: (handles: number) => void = () => {};
	#ended: number | string | undefined;

	/** @param directory holds its data; what another has left there is gone on with */
	static async start(directory: string, planted: string, isAgain = false): Promise<ServiceProcess> {
		const { data, packs, temporary } = await makePlaces(directory);
		const child = spawn(process.execPath, [program, "serve", "--config", config], {
			env: {
				...process.env,
				TMPDIR: temporary,
				SVC_DATA_DIR: data,
				FUZZ_PACKS: packs,
				SVC_ADMIN_PASSWORD: password,
				FUZZ_PLANTED: planted,
				...(isAgain && { FUZZ_AGAIN: "1" }),
			},
			stdio: ["ignore", "pipe", "pipe", "ipc"],
		});
		const log: string[] = [];
		child.stderr?.on("data", (piece) => log.push(...String(piece).split("\n").slice(0, 2_000)));
		const exited = new Promise<number | string>((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal ?? 0)));
		const api = await readAddress(child, exited, log);
		return new ServiceProcess(api, child, exited, log);
	}

	private constructor(api: string, child: ChildProcess, exited: Promise<number | string>, log: string[]) {
		this.api = api;
		this.#child = child;
		this.#exited = exited;
		this.#log = log;
		void exited.then((code) => {
			this.#ended = code;
		});
		child.on("message", (report: Report) => this.#hear(report));
		this.#watchdog = new Watchdog(api, child.pid ?? 0, () => void child.kill("SIGKILL"));
	}

	/** Why it does not answer any more; undefined while it does. */
	failure(): Problem | undefined {
		if (this.#watchdog.isHung)
			return { kind: "hang", detail: `/health/live had no answer while the process computed for ${this.#watchdog.limit} ms` };
		if (this.#ended === undefined) return undefined;
		return { kind: "crash", detail: `the process ended with ${this.#ended}: ${this.#uncaught ?? this.errors().at(-1) ?? ""}` };
	}

	/** Times for which it was blocked too long since this was asked last. */
	takeStalls(): readonly Stall[] {
		return this.#stalls.splice(0).filter(({ wall, cpu }) => Math.min(wall, cpu) > stallLimit);
	}

	/** What it logged of errors since this was asked last. */
	errors(): readonly string[] {
		return this.#log.splice(0).filter((line) => /"level":"(?:error|fatal)"|unhandled|uncaught/i.test(line));
	}

	/** Open files and sockets, once it has told of everything before. */
	async handles(): Promise<number> {
		const told = new Promise<number>((resolve) => {
			this.#idle = resolve;
		});
		if (this.#child.connected) this.#child.send("idle");
		return Promise.race([told, this.#exited.then(() => 0)]);
	}

	/** End it in order; what went wrong. */
	async stop(): Promise<Problem | undefined> {
		this.#watchdog.stop();
		if (this.#ended !== undefined) return undefined;
		this.#child.kill("SIGTERM");
		const code = await Promise.race([this.#exited, delay(stopLimit, "nothing", { ref: false })]);
		if (code === 0) return undefined;
		this.#child.kill("SIGKILL");
		return { kind: "restart", detail: `the process ended with ${code} within ${stopLimit} ms of TERM` };
	}

	async kill(): Promise<void> {
		this.#watchdog.stop();
		this.#child.kill("SIGKILL");
		await this.#exited;
	}

	#hear(report: Report): void {
		if (report.kind === "stall") this.#stalls.push(report);
		else if (report.kind === "uncaught") this.#uncaught = report.error;
		else this.#idle(report.handles);
	}
}

async function readAddress(child: ChildProcess, exited: Promise<number | string>, log: readonly string[]): Promise<string> {
	let printed = "";
	const found = new Promise<string>((resolve) => {
		child.stdout?.on("data", (piece) => {
			printed += piece;
			const [, address] = /^API\s+(http\S+)\/v1$/m.exec(printed) ?? [];
			if (address !== undefined) resolve(address);
		});
	});
	const gone = exited.then((code) => `the service ended with ${code} at its start: ${log.slice(-20).join("\n")}`);
	const late = delay(startLimit, `the service did not start within ${startLimit} ms`, { ref: false });
	const answer = await Promise.race([found, gone, late]);
	if (answer.startsWith("http")) return answer;
	child.kill("SIGKILL");
	throw new Error(answer);
}
