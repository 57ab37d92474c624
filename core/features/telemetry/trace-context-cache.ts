import { hash } from "node:crypto";
import type { Storage, TraceEntity } from "../../contract/index.ts";
import { parseTraceparent, type TraceParent } from "../../lib/traceparent.ts";

/** Distributed trace to which a `trace` record belongs, and the caller's span in it. */
export interface TraceContext {
	/** Trace id of 32 hexadecimal digits. */
	readonly traceId: string;
	/** Span of the caller. Undefined for a trace that began in this service. */
	readonly remote: TraceParent | undefined;
	readonly isSampled: boolean;
}

/** Maximum traces in one cache generation. When it is full, the previous generation is dropped; traces used since then stay cached. */
const generation = 5_000;

/** Returns a hexadecimal id that depends only on the kind and the id of the record, so that every node derives the same one. */
export function toHexId(kind: string, id: string, digits: number): string {
	return hash("sha256", `${kind}:${id}`).slice(0, digits);
}

/** Caches trace contexts by trace id. Contexts of traces that other nodes started are read from the storage. */
export class TraceContextCache {
	readonly #storage: Storage;
	readonly #samples: (traceId: string) => boolean;
	/**
	 * Current generation. Dropping a whole generation replaces the eviction of single keys, which is expensive: finding the oldest key of a
	 * `Map` passes over the slots of all keys that were deleted before.
	 */
	#known = new Map<string, TraceContext>();
	#older: ReadonlyMap<string, TraceContext> = new Map();

	/** @param samples returns true if a trace that began in this service must be recorded */
	constructor(storage: Storage, samples: (traceId: string) => boolean) {
		this.#storage = storage;
		this.#samples = samples;
	}

	/** Caches and returns the context of a trace that this node has stored or read. */
	learn({ id, traceparent }: Pick<TraceEntity, "id" | "traceparent">): TraceContext {
		const remote = parseTraceparent(traceparent);
		const traceId = remote?.traceId ?? toHexId("trace", id, 32);
		const context = { traceId, remote, isSampled: remote?.isSampled ?? this.#samples(traceId) };
		this.#keep(id, context);
		return context;
	}

	known(id: string): TraceContext | undefined {
		const context = this.#known.get(id);
		if (context !== undefined) return context;
		const older = this.#older.get(id);
		if (older !== undefined) this.#keep(id, older);
		return older;
	}

	/** Returns the contexts of all ids; reads missing ones from the storage. A deleted trace counts as one that began in this service. */
	async read(ids: readonly string[]): Promise<ReadonlyMap<string, TraceContext>> {
		const contexts = new Map<string, TraceContext>();
		const missing = new Set<string>();
		for (const id of ids) {
			const context = this.known(id);
			if (context === undefined) missing.add(id);
			else contexts.set(id, context);
		}
		if (missing.size === 0) return contexts;
		const found = await this.#storage.find("trace", { where: { id: { in: [...missing] } }, fields: ["traceparent"] });
		const traces = new Map(found.map((trace) => [trace.id, trace]));
		for (const id of missing) contexts.set(id, this.learn(traces.get(id) ?? { id, traceparent: null }));
		return contexts;
	}

	#keep(id: string, context: TraceContext): void {
		if (this.#known.size >= generation) {
			this.#older = this.#known;
			this.#known = new Map();
		}
		this.#known.set(id, context);
	}
}
