import { SvcError } from "../../core/contract/index.ts";
import { DirectPipe } from "./direct-pipe.ts";
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

/** Default of `killGrace`, in milliseconds. */
const defaultGraceMs = 5_000;

export interface ProcessOptions extends Omit<ProcessRequest, "report" | "input"> {
	/** When the signal aborts, the process and everything it started are ended. */
	readonly signal: AbortSignal;
	/** Milliseconds between TERM and KILL. Default 5000. */
	readonly killGrace?: number;
	/** Takes a chunk of output. Until its promise resolves, the channel waits, and eventually the process blocks. */
	onStdout(text: string): Promise<void> | void;
	onStderr(text: string): Promise<void> | void;
	/** Takes bulk output that is pure ASCII, as bytes. They are valid until the function returns its promise. */
	readonly onBytes?: ((channel: "stdout" | "stderr", bytes: Uint8Array) => Promise<void>) | undefined;
	/** Takes the output of the process on descriptor 3. If this is undefined, the process does not have that descriptor. */
	onReport?(text: string): Promise<void> | void;
	/**
	 * Receives a function that writes to the standard input. If `onInput` is given, the standard input stays open after `stdin`. Input that
	 * the process does not read waits in memory, so write only what it has requested. The standard input ends when the launcher ends, even
	 * unexpectedly.
	 */
	onInput?(write: (text: string) => void): void;
}

export interface ProcessEnd extends ProcessExit {
	/** Undefined if the process was not started because the signal had already aborted. */
	readonly pid: number | undefined;
}

/** Connection of a run to its launcher. */
interface LauncherLink {
	readonly id: number;
	readonly writer: FrameWriter;
	/** Process id of the launcher process. */
	readonly launcherPid: number | undefined;
	/** Called when the process has started. */
	readonly onStart?: (() => void) | undefined;
}

/** One process, as seen by the server. */
export class ProcessRun {
	readonly ended: Promise<ProcessEnd>;
	readonly #options: ProcessOptions;
	readonly #link: LauncherLink;
	/** Channels that have had output, created on first use, because most processes print on one. */
	readonly #channels = new Map<Channel, OutputChannel>();
	/** Pipes that the server reads itself. */
	readonly #borrowedPipes = new Map<Channel, DirectPipe>();
	#pid: number | undefined;
	#failure: { readonly error: unknown } | undefined;
	#resolve: (exit: ProcessExit | undefined) => void = () => {};

	constructor(options: ProcessOptions, link: LauncherLink) {
		this.#options = options;
		this.#link = link;
		const exit = new Promise<ProcessExit | undefined>((resolve) => {
			this.#resolve = resolve;
		});
		this.ended = this.#follow(exit);
		this.#start();
	}

	get pid(): number | undefined {
		return this.#pid;
	}

	/** Variable that identifies all processes of its execution. */
	get mark(): string | undefined {
		return toMark(this.#options.env);
	}

	/** Handles a frame from the launcher. */
	receive(type: number, payload: Buffer): void {
		const channel = channelsByType[type];
		if (channel !== undefined) this.#push(channel, payload);
		else if (type === frameTypes.started) this.#onStarted(payload);
		else if (type === frameTypes.offer) this.#answerOffer(payload);
		else if (type === frameTypes.exited) for (const pipe of this.#borrowedPipes.values()) pipe.expectEnd();
		else if (type === frameTypes.ended) this.#resolve(JSON.parse(payload.toString()));
		else if (type === frameTypes.failed) this.fail(toError(JSON.parse(payload.toString()), this.#options));
	}

	#onStarted(payload: Buffer): void {
		this.#pid = Number(payload.toString());
		this.#link.onStart?.();
	}

	#push(channel: Channel, bytes: Buffer): void {
		this.#getOrCreateChannel(channel)?.push(bytes);
	}

	/** Ends the run with an error. The launcher will send no more frames. */
	fail(error: unknown): void {
		this.#failure ??= { error };
		this.#resolve(undefined);
	}

	#start(): void {
		const { id, writer } = this.#link;
		const { file, args, cwd, env, stdin, pty, onReport, onInput } = this.#options;
		// Members that are undefined are missing in JSON.
		const request = {
			file,
			args,
			cwd,
			env,
			stdin,
			pty,
			report: onReport && true,
			input: onInput && true,
		} satisfies WithUndefined<ProcessRequest>;
		writer.write(frameTypes.start, id, JSON.stringify(request));
		onInput?.((text) => writer.write(frameTypes.input, id, text));
	}

	async #follow(exit: Promise<ProcessExit | undefined>): Promise<ProcessEnd> {
		const { signal, killGrace = defaultGraceMs } = this.#options;
		const onAbort = () => this.#end(killGrace);
		signal.addEventListener("abort", onAbort, { once: true });
		const result = await exit;
		signal.removeEventListener("abort", onAbort);
		for (const pipe of this.#borrowedPipes.values()) pipe.close();
		for (const channel of this.#channels.values()) channel.end();
		for (const channel of this.#channels.values()) await channel.whenDone;
		if (this.#failure !== undefined) throw this.#failure.error;
		return { pid: this.#pid, code: result?.code ?? null, signal: result?.signal ?? null };
	}

	#end(grace: number): void {
		this.#link.writer.write(frameTypes.end, this.#link.id, JSON.stringify({ grace }));
	}

	/** Opens the offered pipe. If it cannot be opened, for instance because `/proc` is hidden, the launcher continues to send its bytes. */
	#answerOffer(payload: Buffer): void {
		const { launcherPid } = this.#link;
		const { channel, number: descriptor } = decodeChannelNumber(payload);
		const outputChannel = this.#getOrCreateChannel(channel);
		try {
			if (outputChannel === undefined) throw new Error("this output channel is not in use");
			const pipe = new DirectPipe({
				path: `/proc/${launcherPid}/fd/${descriptor}`,
				nextBuffer: () => outputChannel.nextBuffer(),
				onData: (bytes) => outputChannel.push(bytes),
				onEnd: (isAbandoned) => this.#sendLoan(channel, isAbandoned ? loanStates.abandoned : loanStates.ended),
			});
			this.#borrowedPipes.set(channel, pipe);
			this.#sendLoan(channel, loanStates.taken);
		} catch {
			this.#sendLoan(channel, loanStates.declined);
		}
	}

	#sendLoan(channel: Channel, loan: number): void {
		this.#link.writer.write(frameTypes.loan, this.#link.id, encodeChannelNumber(channel, loan));
	}

	/** Returns the channel, and creates it on first use. Returns undefined if the caller takes no output of this channel. */
	#getOrCreateChannel(channel: Channel): OutputChannel | undefined {
		const existing = this.#channels.get(channel);
		if (existing !== undefined) return existing;
		const { onStdout, onStderr, onReport } = this.#options;
		const deliver = { stdout: onStdout, stderr: onStderr, report: onReport }[channel];
		if (deliver === undefined) return undefined;
		const created = this.#createChannel(channel, deliver);
		this.#channels.set(channel, created);
		return created;
	}

	#createChannel(channel: Channel, deliver: (text: string) => Promise<void> | void): OutputChannel {
		const { id, writer } = this.#link;
		const { killGrace = defaultGraceMs, onBytes } = this.#options;
		return new OutputChannel({
			deliver,
			...(onBytes !== undefined && channel !== "report" && { deliverBytes: (bytes: Buffer) => onBytes(channel, bytes) }),
			onConsumed: (bytes) => {
				const pipe = this.#borrowedPipes.get(channel);
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

type WithUndefined<T> = { readonly [K in keyof T]: T[K] | undefined };

const channelsByType: Readonly<Record<number, Channel>> = Object.fromEntries(channels.map((channel) => [frameTypes[channel], channel]));

function toError(failure: StartFailure, { file, cwd }: ProcessRequest): SvcError {
	const cause = new Error(failure.message);
	if (failure.member === "pty")
		return new SvcError("SVC_RUNNER", `"svc_pty" needs the optional package node-pty: ${failure.message}`, { cause });
	if (failure.member === "cwd") return new SvcError("SVC_RUNNER", `"cwd": "${cwd}" is not an accessible directory`, { cause });
	if (failure.member === "args")
		return new SvcError("SVC_RUNNER", "command, arguments and environment are longer than the system allows", { cause });
	return new SvcError("SVC_RUNNER", `"${file}" cannot be started: ${explain(failure)}`, { cause });
}

function explain({ code, message }: StartFailure): string {
	if (code === "ENOENT") return "it does not exist, or its interpreter (first line) does not exist";
	if (code === "EACCES") return "it is not executable";
	return code === "" ? message : code;
}
