import { closeSync, statSync } from "node:fs";
import { Socket } from "node:net";
import { ChannelReader } from "./channel-reader.ts";
import { PolledPipes } from "./polled-pipes.ts";
import { findOtherGroups, hasLiveProcess, signalGroup, toMark } from "./process-group.ts";
import {
	type Channel,
	encodeChannelNumber,
	type FrameWriter,
	frameTypes,
	loanStates,
	type ProcessRequest,
	type StartFailure,
} from "./protocol.ts";
import type { ProcessExit, Spawner } from "./spawner.ts";
import type { Terminal } from "./terminal.ts";

/** Milliseconds that processes left running may hold the output open after the process itself has exited. */
const lingerMs = 1_000;
/** Milliseconds that a process may take to exit after KILL; after that its exit is no longer waited for. */
const killTimeoutMs = 1_000;
const checkIntervalMs = 50;
/** Bytes of a channel after which the launcher offers its pipe to the server, so that bulk output need not pass through two processes. */
const minOfferBytes = 1_048_576;

interface LaunchedProcessOptions {
	readonly id: number;
	readonly spawner: Spawner;
	readonly writer: FrameWriter;
	/** Descriptor of `/dev/null`. */
	readonly devNull: number;
	onDone(): void;
}

/**
 * One process in the launcher: its descriptors, its output and its end.
 *
 * States, in order. A state may be skipped, and each leads to *closed*:
 * - *created*: the server's `start` frame has been read, but the process has not been spawned. Starts are spread over turns of the event
 *   loop, and a terminal is loaded asynchronously, so `end` and `input` frames may arrive now. `#graceMs` and `#earlyInput` hold them until
 *   the process exists.
 * - *running*: `#pid` is set and a `started` frame was sent.
 * - *exited*: `#exit` is set. The output may still be open, because processes that it started inherited the pipes, or because the server
 *   has not consumed it yet.
 * - *closed*: `#isClosed` is set, and all descriptors and timers are released. Exactly one frame, `ended` or `failed`, was sent, after all
 *   output that the launcher has read. Every later event is ignored.
 *
 * The end. If no end was requested, a process is closed once it has exited and every channel has ended. If channels stay open, everything
 * it started is killed after one second. Otherwise a forgotten background process would keep the execution running. Time in which the
 * server holds the output up does not count towards that second: slow consumption must not lose output. `end` sends TERM to the process's
 * group, and to its other groups once the process has exited; after the grace, everything gets KILL. The process is then closed once it has
 * exited, its output has ended, and no process of these groups is alive. At the latest that is one second after KILL, or later if the
 * server has not yet consumed its output. `end` may be called again, which can only shorten the grace. An `end` that arrives before the
 * process runs takes effect as soon as it does.
 *
 * Output. A pipe is not watched for the first 10 ms: if the process exits in that time, `PolledPipes` reads all its output at once. After
 * that a `ChannelReader` reads it. After 1 MiB the reader pauses and the pipe is offered to the server. Nothing is read until the server
 * has answered, so that no byte is read twice or overtakes another. A pipe that the server has taken counts as open until the server
 * reports its end. The server needs the exit of the process to stop waiting for such a pipe, hence the `exited` frame.
 *
 * Everything runs on the launcher's one event loop, so no method is interrupted. Frames of the server, the exit of the process and the ends
 * of its channels may arrive in any order.
 */
export class LaunchedProcess {
	readonly #options: LaunchedProcessOptions;
	#pid: number | undefined;
	#mark: string | undefined;
	#exit: ProcessExit | undefined;
	#readers: Partial<Record<Channel, ChannelReader>> = {};
	#unwatchedPipes: PolledPipes | undefined;
	#terminal: Terminal | undefined;
	/** Standard input that stays open, if the request has `input`. */
	#input: Socket | undefined;
	/** Input that arrived before the process was spawned. */
	readonly #earlyInput: Buffer[] = [];
	/** Milliseconds between TERM and KILL; set once the end was requested. */
	#graceMs: number | undefined;
	#killTimer: NodeJS.Timeout | undefined;
	#ticker: NodeJS.Timeout | undefined;
	#lingeredMs = 0;
	/** Channels whose pipe the launcher has offered to the server, which then reads it directly. */
	readonly #offeredChannels = new Set<Channel>();
	/** Process groups other than the process's own that must also be ended. */
	#otherGroups: readonly number[] = [];
	#isClosed = false;

	constructor(options: LaunchedProcessOptions) {
		this.#options = options;
	}

	/** Process group that the process leads; it must be killed if the launcher exits. */
	get group(): number | undefined {
		return this.#pid;
	}

	/** Environment variable, as `name=value`, by which all processes of its run are recognized. Undefined if it belongs to no run. */
	get mark(): string | undefined {
		return this.#mark;
	}

	async start(request: ProcessRequest): Promise<void> {
		this.#mark = toMark(request.env);
		try {
			// Loaded on first use: most services never need a terminal.
			if (request.pty === true) this.#terminal = (await import("./terminal.ts")).openTerminal();
		} catch (error) {
			return this.#fail(toStartFailure(error, "pty", request));
		}
		this.#spawn(request);
	}

	/** Writes to the standard input, if the request has `input`. The sender bounds how much is buffered. */
	write(payload: Buffer): void {
		if (this.#input === undefined) this.#earlyInput.push(payload);
		else if (this.#input.writable) this.#input.write(payload);
	}

	addCredit(channel: Channel, bytes: number): void {
		this.#readers[channel]?.addCredit(bytes);
	}

	/** Handles the server's answer to an offer, or its report on a pipe that it reads. */
	handleLoanState(channel: Channel, loan: number): void {
		const reader = this.#readers[channel];
		if (this.#isClosed || reader === undefined || !this.#offeredChannels.has(channel)) return;
		if (loan === loanStates.declined) return reader.resume();
		if (loan === loanStates.taken) {
			reader.detach();
			return this.#announceExit();
		}
		if (loan === loanStates.abandoned) this.#killGroups();
		reader.end();
	}

	/** Sends TERM to everything the process started, and KILL after the grace. A second call can only shorten the grace. */
	end(grace: number): void {
		if (this.#isClosed || (this.#graceMs !== undefined && this.#graceMs <= grace)) return;
		const isFirst = this.#graceMs === undefined;
		this.#graceMs = grace;
		if (this.#pid === undefined) return;
		if (isFirst) signalGroup(this.#pid, "SIGTERM");
		if (isFirst && this.#exit !== undefined) this.#terminateOtherGroups(this.#pid);
		clearTimeout(this.#killTimer);
		this.#killTimer = setTimeout(() => this.#killAll(), grace);
	}

	#spawn(request: ProcessRequest): void {
		const processEnds: number[] = [];
		const launcherEnds: [Channel, number][] = [];
		const open = (channel: Channel) => {
			const pipe = this.#options.spawner.createPipe("launcher");
			processEnds.push(pipe.write);
			launcherEnds.push([channel, pipe.read]);
			return pipe.write;
		};
		try {
			const hasInput = request.stdin !== undefined || request.input === true;
			const input = hasInput ? this.#createInput(request, processEnds) : this.#options.devNull;
			const output = this.#terminal?.descriptor ?? open("stdout");
			const errors = open("stderr");
			const report = request.report === true ? [open("report")] : [];
			this.#options.spawner.spawn(request, [input, output, errors, ...report], {
				onStart: (pid) => this.#onStart(pid),
				onError: (error) => this.#fail(toStartFailure(error, "file", request)),
				onExit: (exit) => this.#onExit(exit),
			});
			// The process runs while the launcher sets up its output.
			if (this.#terminal !== undefined) this.#createReader("stdout", this.#terminal);
			this.#readUnwatched(launcherEnds.splice(0));
		} catch (error) {
			if (this.#pid !== undefined) signalGroup(this.#pid, "SIGKILL");
			this.#fail(toStartFailure(error, "file", request));
		} finally {
			for (const descriptor of processEnds) closeSync(descriptor);
			for (const [, descriptor] of launcherEnds) closeSync(descriptor);
		}
	}

	/** Makes the pipe for the standard input and returns the end for the process. */
	#createInput({ stdin = "", input = false }: ProcessRequest, processEnds: number[]): number {
		const { read, write } = this.#options.spawner.createPipe("process");
		processEnds.push(read);
		const socket = new Socket({ fd: write, readable: false, writable: true });
		// The process may exit without reading it.
		socket.on("error", () => {});
		if (!input) socket.end(stdin);
		else {
			socket.write(stdin);
			for (const payload of this.#earlyInput.splice(0)) socket.write(payload);
			this.#input = socket;
		}
		return read;
	}

	#readUnwatched(pipes: readonly (readonly [Channel, number])[]): void {
		this.#unwatchedPipes = new PolledPipes({
			pipes,
			onData: (channel, bytes) => this.#options.writer.write(frameTypes[channel], this.#options.id, bytes),
			// The bytes already passed on have used up credit. The server returns the credit later, as for all other output.
			onWatch: (channel, descriptor, passed) => this.#createReader(channel, descriptor).addCredit(-passed),
		});
	}

	#createReader(channel: Channel, source: number | Terminal): ChannelReader {
		const { writer, id } = this.#options;
		const reader = new ChannelReader({
			source,
			onData: (bytes) => {
				writer.write(frameTypes[channel], id, bytes);
				if (typeof source === "number") this.#offerIfBulk(channel, reader, source);
			},
			onEnd: () => this.#closeIfOver(),
		});
		this.#readers[channel] = reader;
		return reader;
	}

	/** Offers the pipe to the server after 1 MiB. Nothing is read until it has answered, so that no byte is read twice or out of order. */
	#offerIfBulk(channel: Channel, reader: ChannelReader, descriptor: number): void {
		if (reader.passedBytes < minOfferBytes || this.#offeredChannels.has(channel)) return;
		this.#offeredChannels.add(channel);
		reader.pause();
		this.#options.spawner.widenPipe?.(descriptor);
		this.#options.writer.write(frameTypes.offer, this.#options.id, encodeChannelNumber(channel, descriptor));
	}

	/** Reports the exit to a server that may read a pipe of this process. It then waits only a limited time for the end of the pipe. */
	#announceExit(): void {
		if (this.#exit !== undefined && this.#offeredChannels.size > 0) this.#options.writer.write(frameTypes.exited, this.#options.id);
	}

	#onStart(pid: number): void {
		this.#pid = pid;
		this.#options.writer.write(frameTypes.started, this.#options.id, String(pid));
		const grace = this.#graceMs;
		if (grace === undefined) return;
		// The end was requested before the process was started.
		this.#graceMs = undefined;
		this.end(grace);
	}

	#onExit(exit: ProcessExit): void {
		if (this.#isClosed) return;
		this.#exit = exit;
		this.#terminal?.finish();
		this.#unwatchedPipes?.finish();
		if (this.#graceMs !== undefined && this.#pid !== undefined) this.#terminateOtherGroups(this.#pid);
		this.#announceExit();
		this.#closeIfOver();
		if (!this.#isClosed) this.#ticker = setInterval(() => this.#checkLingering(), checkIntervalMs);
	}

	/** Closes the process if it is over: it has exited, its output has ended and, if its end was requested, nothing it started is alive. */
	#closeIfOver(): void {
		if (this.#isClosed || this.#exit === undefined || this.#isReading()) return;
		if (this.#graceMs !== undefined && hasLiveProcess(this.#ownGroups())) return;
		this.#finish(this.#exit);
	}

	/** Called periodically from the exit of the process until it is closed. Time in which the server does not take output does not count. */
	#checkLingering(): void {
		this.#closeIfOver();
		if (this.#isClosed || this.#graceMs !== undefined || this.#isBlocked()) return;
		this.#lingeredMs += checkIntervalMs;
		if (this.#lingeredMs < lingerMs) return;
		this.#killGroups();
		this.#finish(this.#exit ?? killedExit);
	}

	#killAll(): void {
		this.#killGroups();
		const giveUp = () => {
			// Output of the process may still be waiting for the server and must not be lost.
			if (this.#exit !== undefined && this.#isBlocked()) this.#killTimer = setTimeout(giveUp, checkIntervalMs);
			else this.#finish(this.#exit ?? killedExit);
		};
		this.#killTimer = setTimeout(giveUp, killTimeoutMs);
	}

	#killGroups(): void {
		if (this.#pid === undefined) return;
		this.#otherGroups = this.#findOtherGroups(this.#pid);
		for (const group of this.#ownGroups()) signalGroup(group, "SIGKILL");
	}

	#terminateOtherGroups(leader: number): void {
		this.#otherGroups = this.#findOtherGroups(leader);
		for (const group of this.#otherGroups) signalGroup(group, "SIGTERM");
	}

	#findOtherGroups(leader: number): readonly number[] {
		return findOtherGroups(new Set([leader]), new Set(this.#mark === undefined ? [] : [this.#mark]));
	}

	#ownGroups(): readonly number[] {
		return this.#pid === undefined ? [] : [this.#pid, ...this.#otherGroups];
	}

	#isReading(): boolean {
		return this.#unwatchedPipes?.isEmpty === false || Object.values(this.#readers).some((reader) => !reader.isEnded);
	}

	#isBlocked(): boolean {
		return Object.values(this.#readers).some((reader) => reader.isBlocked);
	}

	#fail(failure: ReturnType<typeof toStartFailure>): void {
		if (this.#close()) this.#options.writer.write(frameTypes.failed, this.#options.id, JSON.stringify(failure));
	}

	#finish(exit: ProcessExit): void {
		if (this.#close()) this.#options.writer.write(frameTypes.ended, this.#options.id, JSON.stringify(exit));
	}

	#close(): boolean {
		if (this.#isClosed) return false;
		this.#isClosed = true;
		clearTimeout(this.#killTimer);
		clearInterval(this.#ticker);
		this.#unwatchedPipes?.close();
		for (const reader of Object.values(this.#readers)) reader.end();
		this.#input?.destroy();
		this.#terminal?.close();
		this.#options.onDone();
		return true;
	}
}

const killedExit: ProcessExit = { code: null, signal: "SIGKILL" };

/** Returns the reason why a process could not be started, and the member of the request that caused the failure. */
export function toStartFailure(error: unknown, member: StartFailure["member"], request: ProcessRequest): StartFailure {
	const code = error instanceof Error && "code" in error ? String(error.code) : "";
	const message = error instanceof Error ? error.message : String(error);
	if (member === "pty") return { code: "PTY", member, message };
	// The error number does not distinguish a missing directory, a missing program and a missing interpreter.
	if (!isDirectory(request.cwd)) return { code, member: "cwd", message };
	return { code, member: code === "E2BIG" ? "args" : member, message };
}

function isDirectory(path: string): boolean {
	try {
		return statSync(path).isDirectory();
	} catch {
		return false;
	}
}
