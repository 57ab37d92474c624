import { hash } from "node:crypto";
import type { Storage, TraceEntity } from "../../contract/index.ts";
import { parseTraceparent, type TraceParent } from "../../kernel/basics/traceparent.ts";

/** Where the traces of the service stand in those of others, or begin. */
export interface TraceContext {
	/** 32 hexadecimal digits. */
	readonly traceId: string;
	/** What the caller stood at; undefined for a trace that began here. */
	readonly remote: TraceParent | undefined;
	readonly isSampled: boolean;
}

/** Traces kept in memory. */
const limit = 10_000;

/** Identifiers that every node makes alike of the same record. */
export function toHexId(kind: string, id: string, digits: number): string {
	return hash("sha256", `${kind}:${id}`).slice(0, digits);
}

/** Contexts of traces; those that this node has not begun are read once. */
export class TraceContexts {
	readonly #storage: Storage;
	readonly #samples: (traceId: string) => boolean;
	readonly #known = new Map<string, TraceContext>();

	/** @param samples whether a trace that began here is to be recorded */
	constructor(storage: Storage, samples: (traceId: string) => boolean) {
		this.#storage = storage;
		this.#samples = samples;
	}

	/** A trace that this node has stored, or read. */
	learn({ id, traceparent }: Pick<TraceEntity, "id" | "traceparent">): TraceContext {
		const remote = parseTraceparent(traceparent);
		const traceId = remote?.traceId ?? toHexId("trace", id, 32);
		const context = { traceId, remote, isSampled: remote?.isSampled ?? this.#samples(traceId) };
		const [oldest] = this.#known.keys();
		if (this.#known.size >= limit && oldest !== undefined) this.#known.delete(oldest);
		this.#known.set(id, context);
		return context;
	}

	known(id: string): TraceContext | undefined {
		return this.#known.get(id);
	}

	/** Read those that are not known. One that is gone counts as one that began here. */
	async read(ids: readonly string[]): Promise<void> {
		const missing = [...new Set(ids)].filter((id) => !this.#known.has(id));
		if (missing.length === 0) return;
		const found = await this.#storage.find("trace", { where: { id: { in: missing } }, fields: ["traceparent"] });
		const traces = new Map(found.map((trace) => [trace.id, trace]));
		for (const id of missing) this.learn(traces.get(id) ?? { id, traceparent: null });
	}
}
