import type { Readable } from "node:stream";
import type { ClientChannel } from "ssh2";
import { OutputChannel } from "../_process/output-channel.ts";

/** Milliseconds between TERM and KILL. */
const grace = 4_000;
/** Milliseconds after KILL before the channel is given up. */
const afterKill = 1_000;
/** Milliseconds without output before processes that a finished command left running are killed. */
const linger = 1_000;
const tick = 50;
/** Output bytes that may wait for storage before reading from the host stops. */
const maxWaiting = 256 * 1024;

export type RemoteSignal = "TERM" | "KILL";

export interface RemoteProcessOptions {
	/** Channel of a shell that waits for its script. */
	readonly channel: ClientChannel;
	readonly script: string;
	/** When the signal aborts, the command and all processes that it started are ended. */
	readonly signal: AbortSignal;
	onOutput(type: "stdout" | "stderr", text: string): Promise<void>;
	/** Signals all remaining processes of the command on the host. Never rejects. */
	sweep(signal: RemoteSignal): Promise<void>;
}

export interface RemoteEnd {
	/** Exit code; undefined if a signal ended the command or the connection was lost. */
	readonly code: number | undefined;
	readonly signal: string | undefined;
}

/** One command on a host, from the transfer of its script to its end. */
export class RemoteProcess {
	/** Rejects if the service refuses the output. */
	readonly ended: Promise<RemoteEnd>;
	readonly #options: RemoteProcessOptions;
	readonly #outputs: readonly Output[];
	readonly #timers = new Set<NodeJS.Timeout>();
	#exit: RemoteEnd | undefined;
	#ending = false;
	#failure: { readonly error: unknown } | undefined;
	#close: () => void = () => {};

	constructor(options: RemoteProcessOptions) {
		this.#options = options;
		const { channel } = options;
		this.#outputs = [this.#read("stdout", channel), this.#read("stderr", channel.stderr)];
		const closed = new Promise<void>((resolve) => {
			this.#close = resolve;
		});
		channel.on("exit", (code: number | null, signal?: string) => this.#onExit({ code: code ?? undefined, signal }));
		channel.on("close", () => this.#close());
		// An error means that the connection is lost, which the connection itself reports.
		channel.on("error", () => {});
		this.ended = this.#follow(closed);
		channel.end(options.script);
	}

	async #follow(closed: Promise<void>): Promise<RemoteEnd> {
		const { signal, channel } = this.#options;
		const onAbort = () => this.#end();
		signal.addEventListener("abort", onAbort, { once: true });
		if (signal.aborted) this.#end();
		await closed;
		signal.removeEventListener("abort", onAbort);
		for (const timer of this.#timers) clearTimeout(timer);
		for (const { channel: output } of this.#outputs) output.end();
		await Promise.all(this.#outputs.map(({ channel: output }) => output.whenDone));
		// A process that left the group keeps no output open and would survive.
		if (this.#ending) await this.#options.sweep("KILL");
		channel.destroy();
		if (this.#failure !== undefined) throw this.#failure.error;
		return this.#exit ?? { code: undefined, signal: undefined };
	}

	/** Sends TERM, and KILL after the grace period. If KILL has no effect either, stops waiting for the end. */
	#end(): void {
		if (this.#ending) return;
		this.#ending = true;
		if (this.#exit !== undefined) return this.#kill();
		this.#send("TERM");
		// OpenSSH does not forward signals for root, nor to processes under sudo.
		void this.#options.sweep("TERM");
		this.#after(grace, () => this.#kill());
	}

	#kill(): void {
		this.#ending = true;
		this.#send("KILL");
		void this.#options.sweep("KILL");
		this.#after(afterKill, () => this.#giveUp());
	}

	/** Ends the wait, but not while output still waits for storage: it would be lost. */
	#giveUp(): void {
		if (this.#exit !== undefined && this.#isBlocked()) this.#after(tick, () => this.#giveUp());
		else this.#close();
	}

	#onExit(exit: RemoteEnd): void {
		this.#exit = exit;
		if (this.#ending) return;
		let quiet = 0;
		let seen = this.#countBytes();
		const look = () => {
			const bytes = this.#countBytes();
			quiet = bytes !== seen || this.#isBlocked() ? 0 : quiet + tick;
			seen = bytes;
			if (this.#ending) return;
			if (quiet >= linger) this.#kill();
			else this.#after(tick, look);
		};
		this.#after(tick, look);
	}

	#after(milliseconds: number, act: () => void): void {
		const timer = setTimeout(() => {
			this.#timers.delete(timer);
			act();
		}, milliseconds);
		this.#timers.add(timer);
	}

	#send(signal: RemoteSignal): void {
		try {
			this.#options.channel.signal(signal);
		} catch {
			// The channel or its connection has already ended.
		}
	}

	#read(type: "stdout" | "stderr", stream: Readable): Output {
		const output: Output = {
			bytes: 0,
			waiting: 0,
			channel: new OutputChannel({
				deliver: (text) => this.#options.onOutput(type, text),
				onConsumed: (bytes) => {
					output.waiting -= bytes;
					if (output.waiting < maxWaiting) stream.resume();
				},
				onFailure: (error) => {
					this.#failure ??= { error };
					this.#end();
				},
			}),
		};
		stream.on("data", (bytes: Buffer) => {
			output.bytes += bytes.length;
			output.waiting += bytes.length;
			output.channel.push(bytes);
			if (output.waiting >= maxWaiting) stream.pause();
		});
		stream.on("error", () => {});
		return output;
	}

	#countBytes(): number {
		return this.#outputs.reduce((sum, { bytes }) => sum + bytes, 0);
	}

	#isBlocked(): boolean {
		return this.#outputs.some(({ waiting }) => waiting >= maxWaiting);
	}
}

interface Output {
	readonly channel: OutputChannel;
	/** Bytes received. */
	bytes: number;
	/** Bytes received and not yet reported as consumed. */
	waiting: number;
}
