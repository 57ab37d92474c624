import { setTimeout as delay } from "node:timers/promises";
import { type JsonObject, type Logger, parseJson } from "../../core/contract/index.ts";
import { type KubeClient, KubeRefusal } from "./kube-client.ts";
import type { KubeObject } from "./kube-objects.ts";

interface ResourceWatchOptions {
	readonly client: KubeClient;
	readonly logger: Logger;
	/** Of the collection, without a query. */
	readonly path: string;
	readonly labelSelector: string;
	/** Called with the key of what has changed; after a listing, which may have changed everything, without one. */
	onChange(key: string | undefined): void;
	keyOf(object: KubeObject): string;
}

interface WatchEvent {
	readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
	readonly object: KubeObject & { readonly code?: number };
}

/** Milliseconds before the server is asked again, the longer the more often it was in vain. */
const [soon, late] = [250, 5_000];

/** Keeps what the server has of one collection: a listing, then its changes; a listing again where changes were missed. */
export class ResourceWatch<T extends KubeObject> {
	readonly #options: ResourceWatchOptions;
	readonly #stopped = new AbortController();
	readonly #done: Promise<void>;
	#objects = new Map<string, T>();

	constructor(options: ResourceWatchOptions) {
		this.#options = options;
		this.#done = this.#follow();
	}

	get objects(): ReadonlyMap<string, T> {
		return this.#objects;
	}

	async stop(): Promise<void> {
		this.#stopped.abort();
		await this.#done;
	}

	async #follow(): Promise<void> {
		let pause = soon;
		while (!this.#stopped.signal.aborted) {
			const began = performance.now();
			try {
				await this.#listAndWatch();
			} catch (error) {
				if (this.#stopped.signal.aborted) return;
				this.#options.logger.warn("the cluster cannot be watched", { path: this.#options.path, error });
			}
			pause = performance.now() - began > late ? soon : Math.min(pause * 2, late);
			await this.#wait(pause);
		}
	}

	/** Ends where changes were missed. */
	async #listAndWatch(): Promise<void> {
		let version: string | undefined = await this.#list();
		while (version !== undefined && !this.#stopped.signal.aborted) {
			const began = performance.now();
			version = await this.#watch(version);
			// A server that ends its answers at once must not be asked a thousand times a second.
			if (performance.now() - began < soon) await this.#wait(soon);
		}
	}

	async #wait(milliseconds: number): Promise<void> {
		await delay(milliseconds, undefined, { signal: this.#stopped.signal }).catch(() => {});
	}

	/** Gives the version from which on changes are to be told. */
	async #list(): Promise<string> {
		const { client, path, labelSelector, onChange, keyOf } = this.#options;
		const query = new URLSearchParams({ labelSelector });
		const { items, metadata } = await client.ask<{ readonly items: readonly T[]; readonly metadata: { readonly resourceVersion: string } }>(
			{
				path: `${path}?${query}`,
				signal: this.#stopped.signal,
			},
		);
		this.#objects = new Map(items.map((item) => [keyOf(item), item]));
		onChange(undefined);
		return metadata.resourceVersion;
	}

	/** Gives the version to go on with once the server has ended the answer; undefined where it has forgotten what came after it. */
	async #watch(from: string): Promise<string | undefined> {
		const { client, path, labelSelector } = this.#options;
		const given: JsonObject = { labelSelector, watch: "true", allowWatchBookmarks: "true", resourceVersion: from, timeoutSeconds: "290" };
		const query = new URLSearchParams(given as Record<string, string>);
		let version = from;
		try {
			for await (const { type, object } of toEvents(client.follow({ path: `${path}?${query}`, signal: this.#stopped.signal }))) {
				if (type === "ERROR") return undefined;
				version = object.metadata.resourceVersion ?? version;
				this.#take(type, object as unknown as T);
			}
			return version;
		} catch (error) {
			if (error instanceof KubeRefusal && error.status === 410) return undefined;
			throw error;
		}
	}

	#take(type: WatchEvent["type"], object: T): void {
		if (type === "BOOKMARK") return;
		const key = this.#options.keyOf(object);
		// One that came in its place may have been told of before.
		if (type !== "DELETED") this.#objects.set(key, object);
		else if (this.#objects.get(key)?.metadata.uid === object.metadata.uid) this.#objects.delete(key);
		this.#options.onChange(key);
	}
}

/** One JSON object a line. */
async function* toEvents(pieces: AsyncIterable<Buffer>): AsyncGenerator<WatchEvent> {
	let rest = Buffer.alloc(0);
	for await (const piece of pieces) {
		rest = Buffer.concat([rest, piece]);
		for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
			const line = rest.toString("utf8", 0, end);
			rest = rest.subarray(end + 1);
			if (line.trim() !== "") yield parseJson(line) as unknown as WatchEvent;
		}
	}
}
