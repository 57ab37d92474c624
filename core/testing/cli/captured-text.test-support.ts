import { Writable } from "node:stream";

/** Seconds for which a text is waited for: less than a test file may take, so that what there was instead shows. */
const patience = 60;

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
		return new Promise((resolve, reject) => {
			const check = () => {
				if (this.#text.includes(part, from)) settle(resolve);
			};
			const settle = (settled: () => void) => {
				clearTimeout(timer);
				this.#waiting.delete(check);
				settled();
			};
			const late = () =>
				reject(new Error(`not within ${patience} s: ${JSON.stringify(part)} in ${JSON.stringify(this.#text.slice(from))}`));
			const timer = setTimeout(() => settle(late), patience * 1_000).unref();
			this.#waiting.add(check);
			check();
		});
	}
}
