import type { BusEvent, EventBus, Logger } from "../../core/contract/index.ts";
import { createReconnectingSubscription } from "../../core/feature.ts";

const eventName = "svc.reaction__worker";

/** Labels and runner that a worker must have for a job. */
export interface JobRequirements {
	readonly labels: readonly string[];
	readonly runner: string;
}

/**
 * Change of a job. For nodes that serve workers: `work`: a job waits for a worker; `stop`: a job must end; `room`: a job has ended, so that
 * its worker has a free slot. For the node that follows the run: `news`: output or the end was stored.
 */
export interface WorkerNotification {
	readonly about: "work" | "stop" | "room" | "news";
	/** Id of the job; undefined if any job may have changed. */
	readonly job: string | undefined;
	/** Id of the worker concerned; undefined for any worker. */
	readonly worker?: string | undefined;
	/** Labels and runner of a waiting job. */
	readonly needs?: JobRequirements | undefined;
}

/** Notifies the nodes of the service of changes of jobs. If a notification is lost, a poll of the storage finds the change later. */
export class WorkerNotifications {
	readonly #parts: { readonly eventBus: EventBus; readonly nodeId: string };
	readonly #listeners = new Set<(notification: WorkerNotification) => void>();
	readonly #watch;

	constructor(parts: { readonly eventBus: EventBus; readonly logger: Logger; readonly nodeId: string }) {
		this.#parts = parts;
		this.#watch = createReconnectingSubscription({
			...parts,
			names: [eventName],
			purpose: "work of workers",
			filter: ({ data }: BusEvent) => data["node_id"] !== parts.nodeId,
			onEvent: ({ data }) => this.#callListeners(toWorkerNotification(data)),
			onGap: () => {
				for (const about of ["stop", "news"] as const) this.#callListeners({ about, job: undefined });
			},
		});
	}

	/** Calls `listener` for each notification of any node. Returns a function that removes the listener. */
	on(listener: (notification: WorkerNotification) => void): () => void {
		this.#listeners.add(listener);
		return () => void this.#listeners.delete(listener);
	}

	notify(notification: WorkerNotification): void {
		const { eventBus, nodeId } = this.#parts;
		this.#callListeners(notification);
		if (eventBus.capabilities.shared !== true) return;
		const { about, job = "", worker = "", needs } = notification;
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

	#callListeners(notification: WorkerNotification): void {
		for (const listener of [...this.#listeners]) listener(notification);
	}
}

function toWorkerNotification({ about, job, worker, labels, runner }: BusEvent["data"]): WorkerNotification {
	return {
		about: about === "work" || about === "stop" || about === "room" ? about : "news",
		job: String(job),
		worker: worker ? String(worker) : undefined,
		needs: Array.isArray(labels) ? { labels: labels.map(String), runner: String(runner) } : undefined,
	};
}
