import { randomUUID } from "node:crypto";

// biome-ignore lint/suspicious/noExplicitAny: whatever a client sends
export type Stored = any;

export interface StoredEvent {
	readonly type: "ADDED" | "MODIFIED" | "DELETED";
	readonly version: number;
	readonly object: Stored;
}

/** Objects of a cluster with the versions and events that its API tells. */
export class KubeStore {
	readonly #objects = new Map<string, Stored>();
	#events: StoredEvent[] = [];
	readonly #listeners = new Set<(event: StoredEvent) => void>();
	#version = 1;
	#oldest = 1;

	get version(): number {
		return this.#version;
	}

	/** Undefined where its name is taken. */
	add(object: Stored): Stored | undefined {
		const key = keyOf(object);
		if (this.#objects.has(key)) return undefined;
		const { metadata } = object;
		const made = { ...object, metadata: { ...metadata, uid: randomUUID(), creationTimestamp: toTime(new Date()) } };
		return this.#put("ADDED", made);
	}

	get(kind: string, namespace: string, name: string): Stored | undefined {
		return this.#objects.get(`${kind}/${namespace}/${name}`);
	}

	/** Put a changed copy in its place; undefined where it is gone. */
	change(object: Stored, change: (copy: Stored) => void): Stored | undefined {
		const found = this.#objects.get(keyOf(object));
		if (found === undefined || found.metadata.uid !== object.metadata.uid) return undefined;
		const copy = structuredClone(found);
		change(copy);
		return this.#put("MODIFIED", copy);
	}

	remove(object: Stored): void {
		const found = this.#objects.get(keyOf(object));
		if (found?.metadata.uid !== object.metadata.uid) return;
		this.#objects.delete(keyOf(object));
		this.#tell("DELETED", structuredClone(found));
		const owned = [...this.#objects.values()].filter(({ metadata }) =>
			metadata.ownerReferences?.some(({ uid }: Stored) => uid === found.metadata.uid),
		);
		for (const one of owned) if (one.kind === "Secret") this.remove(one);
	}

	list(kind: string, matches: (object: Stored) => boolean): readonly Stored[] {
		return [...this.#objects.values()].filter((object) => object.kind === kind && matches(object));
	}

	/** Forget what has happened: whoever watches from an earlier version must list again. */
	compact(): void {
		this.#oldest = this.#version + 1;
		this.#events = [];
	}

	/** Events after a version; undefined where they are forgotten. */
	since(version: number): readonly StoredEvent[] | undefined {
		return version + 1 < this.#oldest ? undefined : this.#events.filter((event) => event.version > version);
	}

	listen(listener: (event: StoredEvent) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	#put(type: "ADDED" | "MODIFIED", object: Stored): Stored {
		this.#objects.set(keyOf(object), object);
		this.#tell(type, object);
		return object;
	}

	#tell(type: StoredEvent["type"], object: Stored): void {
		object.metadata.resourceVersion = String(++this.#version);
		const event = { type, version: this.#version, object };
		this.#events.push(event);
		for (const listener of this.#listeners) listener(event);
	}
}

export function toTime(date: Date): string {
	return date.toISOString().replace(/\.\d+Z$/, "Z");
}

function keyOf({ kind, metadata }: Stored): string {
	return `${kind}/${metadata.namespace}/${metadata.name}`;
}
