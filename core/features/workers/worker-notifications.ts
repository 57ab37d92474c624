import type { BusEvent, EventBus, Logger } from "../../contract/index.ts";
import { createBusListener } from "../../kernel/coordination/bus-listener.ts";

const eventName = "svc.reaction__worker";

/** What a job needs of the worker that takes it. */
export interface Needs {
	readonly labels: readonly string[];
	readonly runner: string;
}

/**
 * What has changed. `work`: a job waits to be taken. `stop`: one is to end. `room`: one has ended, so that its worker takes another. These are for
 * whoever answers workers; `news` is for whoever waits for a run: its worker has stored something.
 */
export interface Ring {
	readonly about: "work" | "stop" | "room" | "news";
	/** Undefined: perhaps anything. */
	readonly job: string | undefined;
	/** Id of the worker that it is about; undefined: any. */
	readonly worker?: string | undefined;
	/** Of what waits. */
	readonly needs?: Needs | undefined;
}

/** Tells the nodes of a service that a job of a worker has changed. What it misses they find in the storage a little later. */
export class Bell {
	readonly #parts: { readonly eventBus: EventBus; readonly nodeId: string };
	readonly #listeners = new Set<(ring: Ring) => void>();
	readonly #watch;

	constructor(parts: { readonly eventBus: EventBus; readonly logger: Logger; readonly nodeId: string }) {
		this.#parts = parts;
		this.#watch = createBusListener({
			...parts,
			names: [eventName],
			purpose: "work of workers",
			filter: ({ data }: BusEvent) => data["node_id"] !== parts.nodeId,
			onEvent: ({ data }) => this.#tell(toRing(data)),
			onGap: () => {
				for (const about of ["stop", "news"] as const) this.#tell({ about, job: undefined });
			},
		});
	}

	/** Call `listener` for each ring of any node, until the function is called that it answers. */
	on(listener: (ring: Ring) => void): () => void {
		this.#listeners.add(listener);
		return () => void this.#listeners.delete(listener);
	}

	ring(ring: Ring): void {
		const { eventBus, nodeId } = this.#parts;
		this.#tell(ring);
		if (eventBus.capabilities.shared !== true) return;
		const { about, job = "", worker = "", needs } = ring;
		eventBus.publish(eventName, {
			...{ node_id: nodeId, about, job, worker },
			...(needs !== undefined && { labels: needs.labels, runner: needs.runner }),
		});
	}

	start(): Promise<void> {
		return this.#watch.start();
	}

	stop(): void {
		this.#watch.stop();
	}

	#tell(ring: Ring): void {
		for (const listener of [...this.#listeners]) listener(ring);
	}
}

function toRing({ about, job, worker, labels, runner }: BusEvent["data"]): Ring {
	return {
		about: about === "work" || about === "stop" || about === "room" ? about : "news",
		job: String(job),
		worker: worker ? String(worker) : undefined,
		needs: Array.isArray(labels) ? { labels: labels.map(String), runner: String(runner) } : undefined,
	};
}
