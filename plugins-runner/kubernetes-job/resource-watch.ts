import { setTimeout as delay } from "node:timers/promises";
import { type JsonObject, type Logger, parseJson } from "../../core/contract/index.ts";
import { type KubeClient, KubeRefusal } from "./kube-client.ts";
import type { KubeObject } from "./kube-objects.ts";

interface ResourceWatchOptions {
	readonly client: KubeClient;
	readonly logger: Logger;
	/** Path of the collection, without a query. */
	readonly path: string;
	readonly labelSelector: string;
	/** Called with the key of a changed object; after a listing, which may have changed every object, without a key. */
	onChange(key: string | undefined): void;
	keyOf(object: KubeObject): string;
}

interface WatchEvent {
	readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
	readonly object: KubeObject & { readonly code?: number };
}

/** Minimum and maximum milliseconds before a retry. The delay doubles after each failure. */
const [soon, late] = [250, 5_000];

/** Mirrors one collection of the server: a listing, followed by its changes. Lists again if changes were missed. */
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

	/** Lists and watches. Returns if changes were missed, so that the caller lists again. */
	async #listAndWatch(): Promise<void> {
		let version: string | undefined = await this.#list();
		while (version !== undefined && !this.#stopped.signal.aborted) {
			const began = performance.now();
			version = await this.#watch(version);
			// Limits the request rate for a server that ends each response at once.
			if (performance.now() - began < soon) await this.#wait(soon);
		}
	}

	async #wait(milliseconds: number): Promise<void> {
		await delay(milliseconds, undefined, { signal: this.#stopped.signal }).catch(() => {});
	}

	/** Lists all objects. Returns the resource version from which to watch changes. */
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

	/**
	 * Applies changes until the server ends the response. Returns the resource version from which to resume; undefined if the server no
	 * longer has the later changes (410).
	 */
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
		// A deletion removes only the object with the same uid: its replacement may have been announced before.
		if (type !== "DELETED") this.#objects.set(key, object);
		else if (this.#objects.get(key)?.metadata.uid === object.metadata.uid) this.#objects.delete(key);
		this.#options.onChange(key);
	}
}

/** Parses one JSON object for each line. */
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
