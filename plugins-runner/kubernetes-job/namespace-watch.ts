import type { Logger } from "../../core/contract/index.ts";
import { labels } from "./job-manifest.ts";
import type { KubeClient } from "./kube-client.ts";
import type { Job, KubeObject, Pod } from "./kube-objects.ts";
import { ResourceWatch } from "./resource-watch.ts";

/** Watches all jobs and pods of the service in one namespace. Two watches serve any number of runs. */
export class NamespaceWatch {
	readonly #listeners = new Map<string, Set<() => void>>();
	readonly #jobs: ResourceWatch<Job>;
	readonly #pods: ResourceWatch<Pod>;

	constructor(given: { readonly client: KubeClient; readonly logger: Logger; readonly namespace: string; readonly installation: string }) {
		const { client, logger, namespace, installation } = given;
		const keyOf = ({ metadata }: KubeObject) => metadata.labels?.[labels.liveaction] ?? metadata.name;
		const onChange = (key: string | undefined) => {
			const concerned = key === undefined ? [...this.#listeners.values()] : [this.#listeners.get(key) ?? new Set()];
			for (const listeners of concerned) for (const listener of listeners) listener();
		};
		const shared = { client, logger, labelSelector: `${labels.installation}=${installation}`, keyOf, onChange };
		this.#jobs = new ResourceWatch<Job>({ ...shared, path: jobsPath(namespace) });
		this.#pods = new ResourceWatch<Pod>({ ...shared, path: podsPath(namespace) });
	}

	job(liveactionId: string): Job | undefined {
		return this.#jobs.objects.get(liveactionId);
	}

	pod(liveactionId: string): Pod | undefined {
		return this.#pods.objects.get(liveactionId);
	}

	/** Calls the listener for every change of the run's job or pod. Returns a function that removes the listener. */
	listen(liveactionId: string, listener: () => void): () => void {
		const listeners = this.#listeners.get(liveactionId) ?? new Set();
		this.#listeners.set(liveactionId, listeners.add(listener));
		return () => {
			listeners.delete(listener);
			if (listeners.size === 0 && this.#listeners.get(liveactionId) === listeners) this.#listeners.delete(liveactionId);
		};
	}

	async stop(): Promise<void> {
		await Promise.all([this.#jobs.stop(), this.#pods.stop()]);
	}
}

export function jobsPath(namespace: string): string {
	return `/apis/batch/v1/namespaces/${namespace}/jobs`;
}

export function podsPath(namespace: string): string {
	return `/api/v1/namespaces/${namespace}/pods`;
}

export function secretsPath(namespace: string): string {
	return `/api/v1/namespaces/${namespace}/secrets`;
}
