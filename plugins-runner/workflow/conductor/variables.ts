import { type Held, isHeldObject } from "./held-values.ts";
import { NamesMap } from "./names-map.ts";

/** A value that a variable has got. Objects are merged with the object that it was before. */
export interface Write {
	/** Of what has published it. */
	readonly id: number;
	readonly held: Held;
	readonly before: Write | undefined;
	/** How many are before it. */
	readonly depth: number;
}

/**
 * What a branch sees: for each variable what the branch has written, one behind another. Never changed, and shared between tasks: a task that
 * publishes adds what is new to what it has seen.
 */
export class Variables {
	static readonly none = new Variables(new NamesMap());
	readonly #writes: NamesMap<Write>;

	private constructor(writes: NamesMap<Write>) {
		this.#writes = writes;
	}

	get(name: string): Write | undefined {
		return this.#writes.get(name);
	}

	names(): readonly string[] {
		return [...this.#writes.entries()].map(([name]) => name);
	}

	publish(id: number, values: Readonly<Record<string, Held>>): Variables {
		let writes = this.#writes;
		for (const [name, held] of Object.entries(values)) writes = writes.set(name, addWrite(writes.get(name), id, held));
		return new Variables(writes);
	}

	/** What two branches have written, behind what they share: of this one first, so that the other's counts where both have written. */
	join(other: Variables): Variables {
		return this === other ? this : new Variables(this.#writes.join(other.#writes, joinWrites));
	}
}

/** The objects that a value is merged of, the oldest first. */
export function toMergedWrites(write: Write, isKnown: (write: Write) => boolean): readonly Write[] {
	const merged: Write[] = [];
	for (let at: Write | undefined = write; at !== undefined; at = at.before) {
		if (at !== write && !isHeldObject(at.held)) break;
		merged.push(at);
		if (!isHeldObject(at.held) || isKnown(at)) break;
	}
	return merged.reverse();
}

function addWrite(before: Write | undefined, id: number, held: Held): Write {
	return { id, held, before, depth: before === undefined ? 0 : before.depth + 1 };
}

function joinWrites(own: Write, others: Write): Write {
	const shared = findShared(own, others);
	const ownIds = new Set(idsBehind(own, shared));
	const added = writesBehind(others, shared).filter(({ id }) => !ownIds.has(id));
	if (ownIds.size === 0) return others;
	return added.reduce((before: Write, { id, held }) => addWrite(before, id, held), own);
}

/** The last one that both have. */
function findShared(own: Write, others: Write): Write | undefined {
	let first: Write | undefined = own;
	let second: Write | undefined = others;
	while (first !== second && first !== undefined && second !== undefined) {
		const depth: number = first.depth - second.depth;
		if (depth >= 0) first = first.before;
		if (depth <= 0) second = second.before;
	}
	return first === second ? first : undefined;
}

function writesBehind(write: Write, shared: Write | undefined): readonly Write[] {
	const found: Write[] = [];
	for (let at: Write | undefined = write; at !== undefined && at !== shared; at = at.before) found.push(at);
	return found.reverse();
}

function idsBehind(write: Write, shared: Write | undefined): readonly number[] {
	return writesBehind(write, shared).map(({ id }) => id);
}
