import type { CapturedOutput, JsonObject, RunContext } from "../../core/contract/index.ts";
import { createOutputResult } from "../_shell/index.ts";

type Type = "stdout" | "stderr";

/** Length in characters from which an incomplete line is written. */
const maxLineLength = 64 * 1024;

/** Receives the output of the hosts of one execution during the run. */
export interface OutputSink {
	write(host: string, type: Type, text: string): Promise<void>;
	/** Writes the incomplete last lines of a host. */
	finish(host: string): Promise<void>;
}

/** Creates a sink for one host: its output is the output of the execution. */
export function createSingleSink(context: Pick<RunContext, "emit">): OutputSink {
	return { write: (_host, type, text) => context.emit(type, text), finish: async () => {} };
}

/**
 * Creates a sink for several hosts. Mixed bytes of several hosts would be unreadable, so complete lines with the host's name are written to
 * the channel `other`.
 */
export function createFleetSink(context: Pick<RunContext, "emit">): OutputSink {
	const begun = new Map<string, string>();
	let last: Promise<void> = Promise.resolve();

	/** Writes lines one call after the other, as the contract requires for a channel. */
	function emit(host: string, lines: readonly string[]): Promise<void> {
		if (lines.length === 0) return Promise.resolve();
		last = last.then(() => context.emit("other", lines.map((line) => `${host}: ${line}\n`).join("")));
		return last;
	}

	return {
		write(host, type, text) {
			const key = `${type} ${host}`;
			const lines = ((begun.get(key) ?? "") + text).split("\n");
			const rest = lines.pop() ?? "";
			const isLong = rest.length >= maxLineLength;
			begun.set(key, isLong ? "" : rest);
			return emit(host, isLong ? [...lines, rest] : lines);
		},
		finish(host) {
			const rests = [`stdout ${host}`, `stderr ${host}`].map((key) => begun.get(key) ?? "");
			return emit(
				host,
				rests.filter((rest) => rest !== ""),
			);
		},
	};
}

/** Output of one host for its result, up to a size limit. */
export class HostOutput {
	readonly #limit: number;
	readonly #kept: Record<Type, { text: string; size: number; bytes: number }> = {
		stdout: { text: "", size: 0, bytes: 0 },
		stderr: { text: "", size: 0, bytes: 0 },
	};

	constructor(limit: number) {
		this.#limit = limit;
	}

	add(type: Type, text: string): void {
		const kept = this.#kept[type];
		const bytes = Buffer.from(text);
		const isCut = kept.bytes > kept.size;
		kept.bytes += bytes.length;
		if (isCut) return;
		const part = kept.size + bytes.length <= this.#limit ? bytes : bytes.subarray(0, findCut(bytes, this.#limit - kept.size));
		kept.text += part.toString();
		kept.size += part.length;
	}

	captured(type: Type): CapturedOutput {
		const { text, size, bytes } = this.#kept[type];
		return { text, truncated: bytes > size, bytes };
	}

	toResult(): JsonObject {
		return createOutputResult((type) => this.captured(type));
	}
}

/** Returns the largest length up to `most` that does not end within a character. */
function findCut(bytes: Buffer, most: number): number {
	let end = most;
	while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
	return end;
}
