import { Writable } from "node:stream";

/** A stream that keeps what is written to it. */
export class CapturedText extends Writable {
	#text = "";
	readonly #waiting = new Set<() => void>();

	get text(): string {
		return this.#text;
	}

	override _write(chunk: Buffer, _encoding: string, done: () => void): void {
		this.#text += chunk.toString("utf8");
		for (const check of this.#waiting) check();
		done();
	}

	/** Resolves once the text holds `part`, behind the first `from` characters. */
	holds(part: string, from = 0): Promise<void> {
		return new Promise((resolve) => {
			const check = () => {
				if (!this.#text.includes(part, from)) return;
				this.#waiting.delete(check);
				resolve();
			};
			this.#waiting.add(check);
			check();
		});
	}
}
