import { hash } from "node:crypto";
import type { Storage, TraceEntity } from "../../contract/index.ts";
import { parseTraceparent, type TraceParent } from "../../lib/traceparent.ts";

/** Where the traces of the service stand in those of others, or begin. */
export interface TraceContext {
	/** 32 hexadecimal digits. */
	readonly traceId: string;
	/** What the caller stood at; undefined for a trace that began here. */
	readonly remote: TraceParent | undefined;
	readonly isSampled: boolean;
}

/** Traces after which those before them are forgotten, unless somebody has asked for them since. */
const generation = 5_000;

/** Identifiers that every node makes alike of the same record. */
export function toHexId(kind: string, id: string, digits: number): string {
	return hash("sha256", `${kind}:${id}`).slice(0, digits);
}

/** Contexts of traces; those that this node has not begun are read once. */
export class TraceContexts {
	readonly #storage: Storage;
	readonly #samples: (traceId: string) => boolean;
	/** To take the oldest out of one map each time costs more than all else here: it passes over the places of all that were taken out before. */
	#known = new Map<string, TraceContext>();
	#older: ReadonlyMap<string, TraceContext> = new Map();

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

	/** All of them; those that are not known are read. One that is gone counts as one that began here. */
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
