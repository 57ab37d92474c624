import * as assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { until } from "../../core/testing/guarantees/until.test-support.ts";
import { findFreePort } from "../../core/testing/services/free-port.test-support.ts";
import { firstCommand } from "./first-installation.test-support.ts";
import type { Line } from "./machine.test-support.ts";
import type { Step } from "./pages.test-support.ts";
import { command } from "./project.test-support.ts";
import { follow } from "./service.test-support.ts";

/** What is around somebody who reads a page. */
export interface Surroundings {
	/** What is typed where a password is asked for, until a start has shown one. */
	readonly password?: string;
	readonly env?: NodeJS.ProcessEnv;
}

/** Somebody who does what pages say, word by word, but for ports, which others on the machine may use. */
export class Reader {
	readonly #line: Line;
	readonly #ports: ReadonlyMap<string, string>;
	/** Of the last terminal: where it is, and its variables. */
	#directory: string;
	#state = "";
	#started: Started[] = [];
	/** What the first start has printed, unless it is that of a directory. */
	#password: string;
	/** What the machine of the page has and this one has elsewhere. */
	readonly #more: NodeJS.ProcessEnv;

	private constructor(line: Line, ports: ReadonlyMap<string, string>, { password = "none yet", env = {} }: Surroundings) {
		this.#line = line;
		this.#ports = ports;
		this.#password = password;
		this.#more = env;
		this.#directory = line.directory;
	}

	static async create(line: Line, surroundings: Surroundings = {}): Promise<Reader> {
		const ports = new Map<string, string>();
		for (const port of ["9100", "9101", "9102", "9200", "9201", "3000"]) ports.set(port, String(await findFreePort()));
		return new Reader(line, ports, surroundings);
	}

	/** All that was printed by what was typed. */
	async follow(steps: readonly Step[]): Promise<string> {
		let printed = "";
		for (const step of steps) {
			if (step.kind === "write") await this.#write(step.file, step.text);
			else if (step.kind === "type") printed += await this.#type(step.commands);
			else await this.#start(step.commands);
		}
		return printed;
	}

	/** Ctrl-C in the terminals in which something goes on. */
	async endAll(): Promise<void> {
		for (const started of this.#started.splice(0).reverse()) await started.end();
	}

	async #write(file: string, text: string): Promise<void> {
		const path = join(this.#directory, file);
		await mkdir(dirname(path), { recursive: true });
		await writeFile(path, this.#asHere(text));
	}

	/** In the terminal that is there: folder and variables are those of the last command. Whoever asks for a password gets it. */
	async #type(typed: string): Promise<string> {
		const commands = this.#line.hasProject && typed.startsWith(`${firstCommand}\n`) ? typed.slice(firstCommand.length) : typed;
		const state = join(this.#line.env["HOME"] ?? "", "terminal");
		const script = `set -e -a -o pipefail; cd "${this.#directory}"; ${this.#state}\n${this.#asHere(commands)}\npwd > ${state}; declare -p TOKEN >> ${state} 2>/dev/null || true`;
		const { code, printed } = await new Started(script, this.#environment(), this.#password).ended();
		assert.equal(code, 0, `${commands}\n${printed}`);
		const [directory = "", ...rest] = (await readFile(state, "utf8")).split("\n");
		this.#directory = directory;
		this.#state = rest.join("\n");
		return printed;
	}

	async #start(commands: string): Promise<void> {
		const lines = commands.trim().split("\n");
		const before = lines.slice(0, -1).filter((line) => !line.endsWith("&"));
		if (before.length > 0) await this.#type(before.join("\n"));
		for (const line of lines.slice(0, -1).filter((each) => each.endsWith("&"))) this.#begin(line.slice(0, -1));
		const service = this.#begin(lines.at(-1) ?? "");
		const [, given = "9101"] = /\bSVC_API_PORT=(\d+)/.exec(commands) ?? [];
		const port = this.#ports.get(commands.includes("server.ts") ? "3000" : given);
		await until(`${commands} answers`, 120, async () => {
			assert.equal(service.code(), undefined, `${commands}\n${service.text()}`);
			const answers = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
			return (answers !== undefined && (commands.includes("server.ts") || /^API /m.test(service.text()))) || undefined;
		});
		this.#password = /shown only once: (\S+)/.exec(service.text())?.[1] ?? this.#password;
	}

	#begin(command: string): Started {
		const started = new Started(`cd "${this.#directory}"; exec env ${this.#asHere(command)}`, this.#environment(), this.#password);
		this.#started.push(started);
		return started;
	}

	/**
	 * With the ports of here; `svc` is what pages write for the command of the project. `npx`, which packed.test.ts types, finds the same one
	 * in twice the time.
	 */
	#asHere(text: string): string {
		const typed = text.replace(/(^|\()((?:[A-Z_]+=[^\s(]+ )*)(?:npx )?svc /gm, `$1$2${command} `);
		return typed.replace(/\b(9100|9101|9102|9200|9201|3000)\b/g, (port) => this.#ports.get(port) ?? port);
	}

	#environment(): NodeJS.ProcessEnv {
		const [auth, api, stream] = ["9100", "9101", "9102"].map((port) => this.#ports.get(port));
		const ports = { SVC_AUTH_PORT: auth, SVC_API_PORT: api, SVC_STREAM_PORT: stream };
		return { ...this.#line.env, ...ports, SVC_API_URL: `http://127.0.0.1:${api}`, ...this.#more };
	}
}

/** A shell with what is typed there, in a group of its own, as a terminal has it. */
class Started {
	readonly #child: ChildProcess;
	readonly text: () => string;
	readonly code: () => number | null | undefined;

	constructor(script: string, env: NodeJS.ProcessEnv, password: string) {
		this.#child = spawn("bash", ["-c", `yes -- '${password}' | { ${script}\n}`], {
			env,
			detached: true,
			stdio: ["ignore", "pipe", "pipe"],
		});
		({ text: this.text, code: this.code } = follow(this.#child));
	}

	async ended(): Promise<{ code: number | null; printed: string }> {
		try {
			return { code: await until("the end of what was typed", 240, this.code), printed: this.text() };
		} finally {
			this.#kill("SIGKILL");
		}
	}

	async end(): Promise<void> {
		this.#kill("SIGINT");
		await until("the end after Ctrl-C", 60, this.code).finally(() => this.#kill("SIGKILL"));
	}

	#kill(signal: NodeJS.Signals): void {
		try {
			process.kill(-(this.#child.pid ?? Number.NaN), signal);
		} catch {
			// All of the group has ended.
		}
	}
}
