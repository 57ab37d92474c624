import { closeSync, statSync } from "node:fs";
import { Socket } from "node:net";
import { OutputReader } from "./output-reader.ts";
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

/** How long what a process left running may keep its output open after the process itself has exited, in milliseconds. */
const linger = 1_000;
/** How long after KILL a process may still take before it is given up. */
const afterKill = 1_000;
const tick = 50;
/** Bytes of a channel after which the server is offered to read its pipe itself: what is much need not pass through two processes. */
const offerAfter = 1_048_576;

interface LaunchedProcessOptions {
	readonly id: number;
	readonly spawner: Spawner;
	readonly writer: FrameWriter;
	/** Descriptor of /dev/null. */
	readonly devNull: number;
	onDone(): void;
}

/** One process in the launcher: its descriptors, its output, its end. */
export class LaunchedProcess {
	readonly #options: LaunchedProcessOptions;
	#pid: number | undefined;
	#mark: string | undefined;
	#exit: ProcessExit | undefined;
	#readers: Partial<Record<Channel, OutputReader>> = {};
	#unwatched: PolledPipes | undefined;
	#terminal: Terminal | undefined;
	/** Of a process that asked to have it kept open. */
	#input: Socket | undefined;
	/** What is for it, but has come before the process was started. */
	readonly #early: Buffer[] = [];
	/** Grace in milliseconds once the end was asked for. */
	#grace: number | undefined;
	#killTimer: NodeJS.Timeout | undefined;
	#ticker: NodeJS.Timeout | undefined;
	#lingered = 0;
	/** Channels whose pipe the server was offered. */
	readonly #offered = new Set<Channel>();
	/** Groups beside the process's own that are still to be ended. */
	#otherGroups: readonly number[] = [];
	#done = false;

	constructor(options: LaunchedProcessOptions) {
		this.#options = options;
	}

	/** The group it leads, for as long as it must be ended with the launcher. */
	get group(): number | undefined {
		return this.#pid;
	}

	/** The variable that all processes of its execution have. */
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

	/** Text for the standard input, of a process that asked to have it kept open. Whoever writes bounds how much waits. */
	write(payload: Buffer): void {
		if (this.#input === undefined) this.#early.push(payload);
		else if (this.#input.writable) this.#input.write(payload);
	}

	addCredit(channel: Channel, bytes: number): void {
		this.#readers[channel]?.addCredit(bytes);
	}

	/** What the server says of a pipe that it was offered; one of `loans`. */
	handleLoanState(channel: Channel, loan: number): void {
		const reader = this.#readers[channel];
		if (this.#done || reader === undefined || !this.#offered.has(channel)) return;
		if (loan === loanStates.declined) return reader.resume();
		if (loan === loanStates.taken) {
			reader.detach();
			return this.#tellExit();
		}
		if (loan === loanStates.abandoned) this.#killGroups();
		reader.end();
	}

	/** TERM to all it started, KILL after the grace. A second call may only shorten the grace. */
	end(grace: number): void {
		if (this.#done || (this.#grace !== undefined && this.#grace <= grace)) return;
		const first = this.#grace === undefined;
		this.#grace = grace;
		if (this.#pid === undefined) return;
		if (first) signalGroup(this.#pid, "SIGTERM");
		if (first && this.#exit !== undefined) this.#endOtherGroups(this.#pid);
		clearTimeout(this.#killTimer);
		this.#killTimer = setTimeout(() => this.#kill(), grace);
	}

	#spawn(request: ProcessRequest): void {
		const given: number[] = [];
		const read: [Channel, number][] = [];
		const open = (channel: Channel) => {
			const pipe = this.#options.spawner.createPipe("launcher");
			given.push(pipe.write);
			read.push([channel, pipe.read]);
			return pipe.write;
		};
		try {
			const hasInput = request.stdin !== undefined || request.input === true;
			const input = hasInput ? this.#feed(request, given) : this.#options.devNull;
			const output = this.#terminal?.descriptor ?? open("stdout");
			const errors = open("stderr");
			const report = request.report === true ? [open("report")] : [];
			this.#options.spawner.spawn(request, [input, output, errors, ...report], {
				onStart: (pid) => this.#onStart(pid),
				onError: (error) => this.#fail(toStartFailure(error, "file", request)),
				onExit: (exit) => this.#onExit(exit),
			});
			// Meanwhile the process does what it has to.
			if (this.#terminal !== undefined) this.#watch("stdout", this.#terminal);
			this.#leaveUnwatched(read.splice(0));
		} catch (error) {
			if (this.#pid !== undefined) signalGroup(this.#pid, "SIGKILL");
			this.#fail(toStartFailure(error, "file", request));
		} finally {
			for (const descriptor of given) closeSync(descriptor);
			for (const [, descriptor] of read) closeSync(descriptor);
		}
	}

	/** Makes a pipe and returns the end that the process gets. */
	#feed({ stdin = "", input = false }: ProcessRequest, given: number[]): number {
		const { read, write } = this.#options.spawner.createPipe("process");
		given.push(read);
		const socket = new Socket({ fd: write, readable: false, writable: true });
		// The process may exit without reading it.
		socket.on("error", () => {});
		if (!input) socket.end(stdin);
		else {
			socket.write(stdin);
			for (const payload of this.#early.splice(0)) socket.write(payload);
			this.#input = socket;
		}
		return read;
	}

	#leaveUnwatched(pipes: readonly (readonly [Channel, number])[]): void {
		this.#unwatched = new PolledPipes({
			pipes,
			onData: (channel, bytes) => this.#options.writer.write(frameTypes[channel], this.#options.id, bytes),
			// What has been passed on is credited by the server.
			onWatch: (channel, descriptor, passed) => this.#watch(channel, descriptor).addCredit(-passed),
		});
	}

	#watch(channel: Channel, source: number | Terminal): OutputReader {
		const { writer, id } = this.#options;
		const reader = new OutputReader({
			source,
			onData: (bytes) => {
				writer.write(frameTypes[channel], id, bytes);
				if (typeof source === "number") this.#offerSometimes(channel, reader, source);
			},
			onEnd: () => this.#check(),
		});
		this.#readers[channel] = reader;
		return reader;
	}

	/** Nothing is read until the server has answered, so that no byte is read by both or comes too early. */
	#offerSometimes(channel: Channel, reader: OutputReader, descriptor: number): void {
		if (reader.passedBytes < offerAfter || this.#offered.has(channel)) return;
		this.#offered.add(channel);
		reader.pause();
		this.#options.spawner.widenPipe?.(descriptor);
		this.#options.writer.write(frameTypes.offer, this.#options.id, encodeChannelNumber(channel, descriptor));
	}

	/** Whoever reads a pipe instead must know from when on it is to wait for its end only for a while. */
	#tellExit(): void {
		if (this.#exit !== undefined && this.#offered.size > 0) this.#options.writer.write(frameTypes.exited, this.#options.id);
	}

	#onStart(pid: number): void {
		this.#pid = pid;
		this.#options.writer.write(frameTypes.started, this.#options.id, String(pid));
		const grace = this.#grace;
		if (grace === undefined) return;
		// Asked to end before it had begun.
		this.#grace = undefined;
		this.end(grace);
	}

	#onExit(exit: ProcessExit): void {
		if (this.#done) return;
		this.#exit = exit;
		this.#terminal?.finish();
		this.#unwatched?.finish();
		if (this.#grace !== undefined && this.#pid !== undefined) this.#endOtherGroups(this.#pid);
		this.#tellExit();
		this.#check();
		if (!this.#done) this.#ticker = setInterval(() => this.#onTick(), tick);
	}

	/** Whether everything is over: the process, its output, and what it started when the end was asked for. */
	#check(): void {
		if (this.#done || this.#exit === undefined || this.#isReading()) return;
		if (this.#grace !== undefined && hasLiveProcess(this.#groups())) return;
		this.#finish(this.#exit);
	}

	/** While something it started lives on after it. Time in which the server holds the output up does not count. */
	#onTick(): void {
		this.#check();
		if (this.#done || this.#grace !== undefined || this.#isBlocked()) return;
		this.#lingered += tick;
		if (this.#lingered < linger) return;
		this.#killGroups();
		this.#finish(this.#exit ?? killed);
	}

	#kill(): void {
		this.#killGroups();
		const give = () => {
			// Its output may still be waiting for the server: that is no reason to lose it.
			if (this.#exit !== undefined && this.#isBlocked()) this.#killTimer = setTimeout(give, tick);
			else this.#finish(this.#exit ?? killed);
		};
		this.#killTimer = setTimeout(give, afterKill);
	}

	#killGroups(): void {
		if (this.#pid === undefined) return;
		this.#otherGroups = this.#findOtherGroups(this.#pid);
		for (const group of this.#groups()) signalGroup(group, "SIGKILL");
	}

	#endOtherGroups(leader: number): void {
		this.#otherGroups = this.#findOtherGroups(leader);
		for (const group of this.#otherGroups) signalGroup(group, "SIGTERM");
	}

	#findOtherGroups(leader: number): readonly number[] {
		return findOtherGroups(new Set([leader]), new Set(this.#mark === undefined ? [] : [this.#mark]));
	}

	#groups(): readonly number[] {
		return this.#pid === undefined ? [] : [this.#pid, ...this.#otherGroups];
	}

	#isReading(): boolean {
		return this.#unwatched?.isEmpty === false || Object.values(this.#readers).some((reader) => !reader.isEnded);
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
		if (this.#done) return false;
		this.#done = true;
		clearTimeout(this.#killTimer);
		clearInterval(this.#ticker);
		this.#unwatched?.close();
		for (const reader of Object.values(this.#readers)) reader.end();
		this.#input?.destroy();
		this.#terminal?.close();
		this.#options.onDone();
		return true;
	}
}

const killed: ProcessExit = { code: null, signal: "SIGKILL" };

/** Why a process could not be started, with the member of the request that is to blame. */
export function toStartFailure(error: unknown, member: StartFailure["member"], request: ProcessRequest): StartFailure {
	const code = error instanceof Error && "code" in error ? String(error.code) : "";
	const message = error instanceof Error ? error.message : String(error);
	if (member === "pty") return { code: "PTY", member, message };
	// The system tells the number only, which is the same for a directory, a program and its interpreter.
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
