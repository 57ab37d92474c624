import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { parseJson, SvcError, stringifyJson } from "../../../core/contract/index.ts";
import { OutputChannel, toReturnCode } from "../../_process/index.ts";
import { parseReport, toDriverRequest } from "../driver-request.ts";
import type { PythonEnd, PythonIo, PythonReport, PythonRequest } from "../engine.ts";
import { toWorkerArguments } from "./worker-arguments.ts";
import { type AnswerMessage, descriptors, packLink, type RunMessage, type WorkerMessage, type WorkerSettings } from "./worker-protocol.ts";

/** Milliseconds that Python has to end by itself after an interrupt. */
const interruptGrace = 1_000;
/** Maximum characters from the beginning of standard error that are kept to explain why a worker ended. */
const keptErrors = 2_000;

/** Error of a worker that found its snapshot unusable. */
export class BrokenSnapshot extends Error {
	override readonly name = "BrokenSnapshot";
}

/** A process with an interpreter; it serves one run. */
export class WorkerProcess {
	/** Resolves when the worker is ready for its run; rejects if it cannot become ready. */
	readonly ready: Promise<void>;
	/** Resolves when the process has ended and its directory is removed. */
	readonly gone: Promise<void>;
	readonly #options: WorkerSettings;
	readonly #child: ChildProcess;
	readonly #input: Writable;
	readonly #lifeline: Writable;
	readonly #messages: AsyncGenerator<WorkerMessage>;
	#alive = true;
	#outOfMemory = false;
	#errors = "";

	constructor(options: WorkerSettings) {
		this.#options = options;
		mkdirSync(options.directory, { recursive: true, mode: 0o700 });
		this.#child = spawn(process.execPath, toWorkerArguments(options), {
			detached: true,
			cwd: options.directory,
			env: {},
			stdio: ["ignore", "ignore", "pipe", "pipe", "pipe", "pipe"],
		});
		this.#child.on("error", (error) => {
			this.#errors += error.message;
		});
		const {
			[descriptors.input]: input,
			[descriptors.output]: output,
			[descriptors.lifeline]: lifeline,
		} = this.#child.stdio as readonly (Writable | Readable | null | undefined)[];
		// If the service has no free descriptors, the streams are missing; the child emits its own error only later.
		if (!input || !output || !lifeline) throw new SvcError("SVC_RUNNER", "a worker cannot be started: no file descriptors are available");
		this.#input = input as Writable;
		this.#lifeline = lifeline as Writable;
		this.#messages = readMessages(output as Readable);
		this.#watch(lifeline as Readable);
		this.gone = this.#waitForEnd();
		this.ready = this.#waitUntilReady();
	}

	get isAlive(): boolean {
		return this.#alive;
	}

	/** Serves the one run of a ready worker, then ends the worker. Resolves when the output is delivered. */
	async run(request: PythonRequest, io: PythonIo): Promise<PythonEnd> {
		const { signal, packDirectory, environment } = request;
		const onAbort = () => this.#interrupt();
		signal.addEventListener("abort", onAbort);
		try {
			await symlink(packDirectory, join(this.#options.directory, packLink));
			this.#send({ request: toDriverRequest(request), packDirectory, environment });
			if (signal.aborted) onAbort();
			const end = await this.#follow(io);
			// An action that does not handle the interrupt raises an exception; report it like the end by SIGTERM.
			return signal.aborted && end.exitCode === 1 && end.report === undefined ? { ...end, exitCode: -15 } : end;
		} finally {
			signal.removeEventListener("abort", onAbort);
			this.kill();
		}
	}

	/** Kills the process at once. */
	kill(): void {
		const { pid } = this.#child;
		if (pid === undefined || !this.#alive) return;
		try {
			process.kill(-pid, "SIGKILL");
		} catch {
			// The process has just ended; its exit event follows.
		}
	}

	async #follow(io: PythonIo): Promise<PythonEnd> {
		let report: PythonReport | undefined;
		let end: PythonEnd | undefined;
		const output = new RunOutput(io, () => this.kill());
		for await (const message of this.#messages) {
			if (message.type === "output") await output.push(message.channel, Buffer.from(message.bytes, "latin1"));
			else if (message.type === "call") this.#send(await callService(io, message));
			else if (message.type === "report") report = parseReport(message.text);
			else if (message.type === "end") {
				const { exitCode, error } = message;
				end = { exitCode, ...(error === undefined ? {} : { error }) };
				break;
			}
		}
		await output.end();
		if (end === undefined) await this.gone;
		return { ...(end ?? { exitCode: this.#exitNumber, error: this.#whyDead }), ...(report === undefined ? {} : { report }) };
	}

	async #waitUntilReady(): Promise<void> {
		const { value: message } = await this.#messages.next();
		if (message?.type === "ready") return;
		if (message?.type === "broken-snapshot") throw new BrokenSnapshot();
		await this.gone;
		const reason = message?.type === "failed" ? message.reason : this.#errors.trim().slice(0, 500);
		throw new SvcError("SVC_RUNNER", `a worker of the engine pyodide did not start: ${reason || this.#whyDead}`);
	}

	async #waitForEnd(): Promise<void> {
		await new Promise<void>((resolve) => {
			this.#child.once("exit", () => resolve());
			this.#child.once("error", () => resolve());
		});
		this.#alive = false;
		this.#input.destroy();
		await rm(this.#options.directory, { recursive: true, force: true });
	}

	/** Watches the streams other than the messages: a byte on the lifeline means out of memory, and standard error is kept. */
	#watch(lifeline: Readable): void {
		this.#input.on("error", () => {});
		lifeline.on("error", () => {});
		lifeline.on("data", () => {
			this.#outOfMemory = true;
		});
		this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
			this.#errors = (this.#errors + text).slice(0, keptErrors);
		});
	}

	#interrupt(): void {
		this.#lifeline.write("i");
		const timer = setTimeout(() => this.kill(), interruptGrace);
		void this.gone.then(() => clearTimeout(timer));
	}

	get #exitNumber(): number {
		return toReturnCode({ code: this.#child.exitCode, signal: this.#child.signalCode });
	}

	get #whyDead(): string {
		if (this.#outOfMemory) return `the action needed more than ${this.#options.memoryLimit / 1024 / 1024} MiB of memory`;
		return `the interpreter ended unexpectedly (${this.#child.signalCode ?? this.#child.exitCode})`;
	}

	#send(message: RunMessage | AnswerMessage): void {
		this.#input.write(`${stringifyJson(message)}\n`);
	}
}

async function callService(io: PythonIo, { method, path, body }: Extract<WorkerMessage, { type: "call" }>): Promise<AnswerMessage> {
	return io.service({ method, path, ...(body === null ? {} : { body: parseJson(body) }) });
}

/** Maximum number of characters in one message, such as a result. A longer one would fill the service's memory. */
const maxMessageLength = 64 * 1024 * 1024;

/** Yields the messages of a worker. The stream is read only as fast as the messages are consumed. */
async function* readMessages(stream: Readable): AsyncGenerator<WorkerMessage> {
	stream.setEncoding("utf8");
	let begun: string[] = [];
	let length = 0;
	for await (const chunk of stream as AsyncIterable<string>) {
		const end = chunk.lastIndexOf("\n");
		if (end >= 0) {
			const lines = [...begun, chunk.slice(0, end)].join("").split("\n");
			begun = [];
			length = 0;
			for (const line of lines) yield parseJson(line) as WorkerMessage;
		}
		begun.push(chunk.slice(end + 1));
		length += chunk.length - end - 1;
		if (length > maxMessageLength)
			throw new SvcError("SVC_RUNNER", `the result is longer than ${maxMessageLength / 1024 / 1024} MiB of JSON`);
	}
}

/** Maximum number of output bytes that wait to be stored. Above it, the action is blocked. */
const maxWaitingOutput = 256 * 1024;

/** Output of one run that is being stored. */
class RunOutput {
	readonly #channels: Readonly<Record<"stdout" | "stderr", OutputChannel>>;
	#waiting = 0;
	#failure: { readonly error: unknown } | undefined;
	#onChange: () => void = () => {};

	/** @param onRefused called as soon as the output is refused: if the action writes nothing more, `push` would not notice it */
	constructor(io: PythonIo, onRefused: () => void) {
		this.#channels = { stdout: this.#open("stdout", io, onRefused), stderr: this.#open("stderr", io, onRefused) };
	}

	/** Resolves when more output can be accepted. Rejects with the error of `io.emit`. */
	async push(channel: "stdout" | "stderr", bytes: Buffer): Promise<void> {
		this.#waiting += bytes.length;
		this.#channels[channel].push(bytes);
		while (this.#waiting > maxWaitingOutput && this.#failure === undefined) {
			await new Promise<void>((resolve) => {
				this.#onChange = resolve;
			});
		}
		this.#assertDelivered();
	}

	/** Resolves when all output is delivered. */
	async end(): Promise<void> {
		const { stdout, stderr } = this.#channels;
		stdout.end();
		stderr.end();
		await Promise.all([stdout.whenDone, stderr.whenDone]);
		this.#assertDelivered();
	}

	#open(channel: "stdout" | "stderr", io: PythonIo, onRefused: () => void): OutputChannel {
		return new OutputChannel({
			deliver: (text) => io.emit(channel, text),
			onConsumed: (bytes) => {
				this.#waiting -= bytes;
				this.#onChange();
			},
			onFailure: (error) => {
				this.#failure = { error };
				onRefused();
				this.#onChange();
			},
		});
	}

	#assertDelivered(): void {
		if (this.#failure !== undefined) throw this.#failure.error;
	}
}
