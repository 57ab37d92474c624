import type { OutputType } from "../../contract/index.ts";
import type { TaskChunk } from "./tail-tasks.ts";

/** Characters of a line that has not ended after which it is shown as one. */
const longestLine = 16_384;

/** Puts the name of the task in front of each line of its output; what has only begun waits for its end. */
export class LabelledLines {
	readonly #begun = new Map<string, { readonly label: string; readonly type: OutputType; readonly text: string }>();

	/** Whole lines of a piece, with those that were waiting for it; empty when there are none. */
	add({ label, chunk: { execution_id, output_type: type, data } }: TaskChunk): string {
		const key = `${execution_id} ${type}`;
		const text = (this.#begun.get(key)?.text ?? "") + data;
		const end = text.length > longestLine && !text.includes("\n") ? text.length : text.lastIndexOf("\n") + 1;
		if (end === text.length) this.#begun.delete(key);
		else this.#begun.set(key, { label, type, text: text.slice(end) });
		return toLabelled(label, text.slice(0, end));
	}

	/** What has begun and found no end. */
	rest(): readonly { readonly type: OutputType; readonly text: string }[] {
		const rest = [...this.#begun.values()].map(({ label, type, text }) => ({ type, text: toLabelled(label, text) }));
		this.#begun.clear();
		return rest;
	}
}

function toLabelled(label: string, text: string): string {
	if (text === "") return "";
	const lines = text.endsWith("\n") ? text.slice(0, -1) : text;
	return `${lines
		.split("\n")
		.map((line) => `${label} | ${line}`)
		.join("\n")}\n`;
}
