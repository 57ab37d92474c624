import { SvcError } from "../../core/contract/index.ts";
import { BorrowedPipe } from "./borrowed-pipe.ts";
import { OutputChannel } from "./output-channel.ts";
import { toMark } from "./process-group.ts";
import {
	type Channel,
	channels,
	decodeChannelNumber,
	encodeChannelNumber,
	type FrameWriter,
	frameTypes,
	loanStates,
	type ProcessRequest,
	type StartFailure,
} from "./protocol.ts";
import type { ProcessExit } from "./spawner.ts";

/** Milliseconds between TERM and KILL. */
const defaultGrace = 5_000;

export interface ProcessOptions extends Omit<ProcessRequest, "report" | "input"> {
	/** Ends the process and everything it started. */
	readonly signal: AbortSignal;
	/** Milliseconds between TERM and KILL. Default 5000. */
	readonly killGrace?: number;
	/** Take a piece of output. While it has not resolved the channel waits, and in the end the process does. */
	onStdout(text: string): Promise<void> | void;
	onStderr(text: string): Promise<void> | void;
	/** Take output as bytes, each of them a character of ASCII, where much of it comes. They are there until it returns its promise. */
	readonly onBytes?: ((channel: "stdout" | "stderr", bytes: Uint8Array) => Promise<void>) | undefined;
	/** Take what the process writes to descriptor 3, which it gets because of this. */
	onReport?(text: string): Promise<void> | void;
	/**
	 * Take what writes to the standard input, which stays open because of this, behind `stdin`. What the process does not read waits in memory:
	 * write only what it has asked for. It ends when the launcher does, however that ends, so that whoever reads it knows.
	 */
	onInput?(write: (text: string) => void): void;
}

export interface ProcessEnd extends ProcessExit {
	/** Undefined when it was not started because the signal had aborted before. */
	readonly pid: number | undefined;
}

/** What a run is reached by. */
interface RunMeans {
	readonly id: number;
	readonly writer: FrameWriter;
	/** Process id of the launcher. */
	readonly launcherPid: number | undefined;
	/** Called when the process is there. */
	readonly onStart?: (() => void) | undefined;
}

/** One process as the server sees it. */
export class ProcessRun {
	readonly ended: Promise<ProcessEnd>;
	readonly #options: ProcessOptions;
	readonly #means: RunMeans;
	/** Made when something comes: most processes print on one. */
	readonly #channels = new Map<Channel, OutputChannel>();
	/** Pipes that are read here and not by the launcher. */
	readonly #borrowed = new Map<Channel, BorrowedPipe>();
	#pid: number | undefined;
	#failure: { readonly error: unknown } | undefined;
	#resolve: (exit: ProcessExit | undefined) => void = () => {};

	constructor(options: ProcessOptions, means: RunMeans) {
		this.#options = options;
		this.#means = means;
		const exit = new Promise<ProcessExit | undefined>((resolve) => {
			this.#resolve = resolve;
		});
		this.ended = this.#follow(exit);
		this.#start();
	}

	get pid(): number | undefined {
		return this.#pid;
	}

	/** The variable that all processes of its execution have. */
	get mark(): string | undefined {
		return toMark(this.#options.env);
	}

	/** A frame from the launcher. */
	receive(type: number, payload: Buffer): void {
		const channel = channelsByType[type];
		if (channel !== undefined) this.#push(channel, payload);
		else if (type === frameTypes.started) this.#started(payload);
		else if (type === frameTypes.offer) this.#answerOffer(payload);
		else if (type === frameTypes.exited) for (const pipe of this.#borrowed.values()) pipe.expectEnd();
		else if (type === frameTypes.ended) this.#resolve(JSON.parse(payload.toString()));
		else if (type === frameTypes.failed) this.fail(toError(JSON.parse(payload.toString()), this.#options));
	}

	#started(payload: Buffer): void {
		this.#pid = Number(payload.toString());
		this.#means.onStart?.();
	}

	#push(channel: Channel, bytes: Buffer): void {
		this.#channelOf(channel)?.push(bytes);
	}

	/** Nothing more will come from the launcher. */
	fail(error: unknown): void {
		this.#failure ??= { error };
		this.#resolve(undefined);
	}

	#start(): void {
		const { id, writer } = this.#means;
		const { file, args, cwd, env, stdin, pty, onReport, onInput } = this.#options;
		// In JSON there is no member that is undefined.
		const request = { file, args, cwd, env, stdin, pty, report: onReport && true, input: onInput && true } satisfies Loose<ProcessRequest>;
		writer.write(frameTypes.start, id, JSON.stringify(request));
		onInput?.((text) => writer.write(frameTypes.input, id, text));
	}

	async #follow(exit: Promise<ProcessExit | undefined>): Promise<ProcessEnd> {
		const { signal, killGrace = defaultGrace } = this.#options;
		const onAbort = () => this.#end(killGrace);
		signal.addEventListener("abort", onAbort, { once: true });
		const result = await exit;
		signal.removeEventListener("abort", onAbort);
		for (const pipe of this.#borrowed.values()) pipe.close();
		for (const channel of this.#channels.values()) channel.end();
		for (const channel of this.#channels.values()) await channel.whenDone;
		if (this.#failure !== undefined) throw this.#failure.error;
		return { pid: this.#pid, code: result?.code ?? null, signal: result?.signal ?? null };
	}

	#end(grace: number): void {
		this.#means.writer.write(frameTypes.end, this.#means.id, JSON.stringify({ grace }));
	}

	/** Where the pipe cannot be opened, as where `/proc` is closed, its bytes come through the launcher as before. */
	#answerOffer(payload: Buffer): void {
		const { launcherPid } = this.#means;
		const { channel, number: descriptor } = decodeChannelNumber(payload);
		const taker = this.#channelOf(channel);
		try {
			if (taker === undefined) throw new Error("nobody takes what comes there");
			const pipe = new BorrowedPipe({
				path: `/proc/${launcherPid}/fd/${descriptor}`,
				nextBuffer: () => taker.nextBuffer(),
				onData: (bytes) => taker.push(bytes),
				onEnd: (isLeft) => this.#tellLoan(channel, isLeft ? loanStates.abandoned : loanStates.ended),
			});
			this.#borrowed.set(channel, pipe);
			this.#tellLoan(channel, loanStates.taken);
		} catch {
			this.#tellLoan(channel, loanStates.declined);
		}
	}

	#tellLoan(channel: Channel, loan: number): void {
		this.#means.writer.write(frameTypes.loan, this.#means.id, encodeChannelNumber(channel, loan));
	}

	/** Undefined of one that was not asked for. */
	#channelOf(channel: Channel): OutputChannel | undefined {
		const known = this.#channels.get(channel);
		if (known !== undefined) return known;
		const { onStdout, onStderr, onReport } = this.#options;
		const deliver = { stdout: onStdout, stderr: onStderr, report: onReport }[channel];
		if (deliver === undefined) return undefined;
		const made = this.#createChannel(channel, deliver);
		this.#channels.set(channel, made);
		return made;
	}

	#createChannel(channel: Channel, deliver: (text: string) => Promise<void> | void): OutputChannel {
		const { id, writer } = this.#means;
		const { killGrace = defaultGrace, onBytes } = this.#options;
		return new OutputChannel({
			deliver,
			...(onBytes !== undefined && channel !== "report" && { deliverBytes: (bytes: Buffer) => onBytes(channel, bytes) }),
			onConsumed: (bytes) => {
				const pipe = this.#borrowed.get(channel);
				if (pipe === undefined) writer.write(frameTypes.credit, id, encodeChannelNumber(channel, bytes));
				else pipe.addCredit(bytes);
			},
			onFailure: (error) => {
				this.#failure ??= { error };
				this.#end(killGrace);
			},
		});
	}
}

type Loose<T> = { readonly [K in keyof T]: T[K] | undefined };

const channelsByType: Readonly<Record<number, Channel>> = Object.fromEntries(channels.map((channel) => [frameTypes[channel], channel]));

function toError(failure: StartFailure, { file, cwd }: ProcessRequest): SvcError {
	const cause = new Error(failure.message);
	if (failure.member === "pty")
		return new SvcError("SVC_RUNNER", `"svc_pty" needs the optional package node-pty: ${failure.message}`, { cause });
	if (failure.member === "cwd") return new SvcError("SVC_RUNNER", `"cwd": "${cwd}" is not a directory that can be entered`, { cause });
	if (failure.member === "args")
		return new SvcError("SVC_RUNNER", "command, arguments and environment are longer than the system allows", { cause });
	return new SvcError("SVC_RUNNER", `"${file}" cannot be started: ${explain(failure)}`, { cause });
}

function explain({ code, message }: StartFailure): string {
	if (code === "ENOENT") return "it does not exist, or the program its first line names does not";
	if (code === "EACCES") return "it may not be executed";
	return code === "" ? message : code;
}
