import type { BusEvent, EventBus, Logger } from "../../contract/index.ts";
import { createBusWatch } from "../../kernel/work/bus-watch.ts";

const eventName = "svc.reaction__worker";

/**
 * What has changed: `work` is for whoever gives work to workers, there is something new or something to end; `news` is for whoever waits for
 * a run, its worker has stored something. Undefined job: perhaps anything.
 */
export interface Ring {
	readonly about: "work" | "news";
	readonly job: string | undefined;
}

/** Tells the nodes of a service that a job of a worker has changed. What it misses they find in the storage a little later. */
export class Bell {
	readonly #parts: { readonly eventBus: EventBus; readonly nodeId: string };
	readonly #listeners = new Set<(ring: Ring) => void>();
	readonly #watch;

	constructor(parts: { readonly eventBus: EventBus; readonly logger: Logger; readonly nodeId: string }) {
		this.#parts = parts;
		this.#watch = createBusWatch({
			...parts,
			names: [eventName],
			purpose: "work of workers",
			filter: ({ data }: BusEvent) => data["node_id"] !== parts.nodeId,
			onEvent: ({ data }) => this.#tell({ about: data["about"] === "work" ? "work" : "news", job: String(data["job"]) }),
			onGap: () => {
				for (const about of ["work", "news"] as const) this.#tell({ about, job: undefined });
			},
		});
	}

	/** Call `listener` for each ring of any node, until the function is called that it answers. */
	on(listener: (ring: Ring) => void): () => void {
		this.#listeners.add(listener);
		return () => void this.#listeners.delete(listener);
	}

	ring(about: Ring["about"], job: string): void {
		const { eventBus, nodeId } = this.#parts;
		this.#tell({ about, job });
		if (eventBus.capabilities.shared === true) eventBus.publish(eventName, { node_id: nodeId, about, job });
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
