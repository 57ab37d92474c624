import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ExecutionRecord } from "../../../plugins/_shipped/client.ts";

export type Kind = "echo" | "noop" | "short" | "nap" | "lines" | "long" | "tree" | "delayed" | "lasting";

const finals: readonly string[] = ["succeeded", "failed", "timeout", "abandoned", "canceled"];

/** Whether executions of this kind go on until somebody ends them. */
export function isEndless(kind: Kind): boolean {
	return kind === "long" || kind === "tree";
}

export function isFinal({ status }: Pick<ExecutionRecord, "status">): boolean {
	return finals.includes(status);
}

/** What a service has promised its clients: everything it answered with 201, and every end it announced. */
export class Ledger {
	/** File to which each start of a command adds a line with its execution's id. */
	readonly startsFile: string;
	readonly #acknowledged = new Map<string, Kind>();
	readonly #ends = new Map<string, ExecutionRecord>();
	readonly #waiting = new Map<string, () => void>();
	/** Ends not yet handed out by `takeEnds`. */
	#recent: ExecutionRecord[] = [];

	constructor(directory: string) {
		this.startsFile = join(directory, "starts");
	}

	acknowledge(id: string, kind: Kind): void {
		this.#acknowledged.set(id, kind);
	}

	/** A record as it was announced or read; only the first end of an execution counts. */
	see(record: ExecutionRecord): void {
		if (!isFinal(record) || this.#ends.has(record.id)) return;
		this.#ends.set(record.id, record);
		this.#recent.push(record);
		this.#waiting.get(record.id)?.();
		this.#waiting.delete(record.id);
	}

	/** Resolves when an end of the execution was seen. */
	async ended(id: string): Promise<void> {
		if (!this.#ends.has(id)) await new Promise<void>((resolve) => this.#waiting.set(id, resolve));
	}

	acknowledged(): ReadonlyMap<string, Kind> {
		return this.#acknowledged;
	}

	/** Acknowledged executions whose end was not seen. */
	open(): Map<string, Kind> {
		return new Map([...this.#acknowledged].filter(([id]) => !this.#ends.has(id)));
	}

	ends(): ExecutionRecord[] {
		return [...this.#ends.values()];
	}

	/** Ends that were seen since the last call. */
	takeEnds(): ExecutionRecord[] {
		const taken = this.#recent;
		this.#recent = [];
		return taken;
	}

	/** How many executions there were, and how they ended. */
	describe(): string {
		const counts = new Map<string, number>();
		for (const { status } of this.#ends.values()) counts.set(status, (counts.get(status) ?? 0) + 1);
		return `${this.#acknowledged.size} acknowledged; ${[...counts].map(([status, count]) => `${count} ${status}`).join(", ")}`;
	}

	/** How often the command of each execution was started. */
	async countStarts(): Promise<ReadonlyMap<string, number>> {
		const counts = new Map<string, number>();
		const text = await readFile(this.startsFile, "utf8").catch(() => "");
		for (const id of text.split("\n")) counts.set(id, (counts.get(id) ?? 0) + 1);
		return counts;
	}
}
