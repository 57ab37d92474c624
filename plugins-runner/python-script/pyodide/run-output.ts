import { OutputChannel } from "../../_process/index.ts";
import type { PythonIo } from "../engine.ts";

/** Bytes that may wait for the store before the action does. */
const most = 256 * 1024;

/** Output of one run on its way to the store. */
export class RunOutput {
	readonly #channels: Readonly<Record<"stdout" | "stderr", OutputChannel>>;
	#waiting = 0;
	#failure: { readonly error: unknown } | undefined;
	#onChange: () => void = () => {};

	/** @param onRefused called at once: what goes on without a word would not be noticed by `push` */
	constructor(io: PythonIo, onRefused: () => void) {
		this.#channels = { stdout: this.#open("stdout", io, onRefused), stderr: this.#open("stderr", io, onRefused) };
	}

	/** Resolves when there is room for more. Rejects with what `io.emit` has rejected with. */
	async push(channel: "stdout" | "stderr", bytes: Buffer): Promise<void> {
		this.#waiting += bytes.length;
		this.#channels[channel].push(bytes);
		while (this.#waiting > most && this.#failure === undefined) {
			await new Promise<void>((resolve) => {
				this.#onChange = resolve;
			});
		}
		this.#assertDelivered();
	}

	/** Resolves when all was delivered. */
	async end(): Promise<void> {
		const { stdout, stderr } = this.#channels;
		stdout.end();
		stderr.end();
		await Promise.all([stdout.done, stderr.done]);
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
