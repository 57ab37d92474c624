import { isObjectValue, type JournalValue } from "./journal-values.ts";
import { PersistentMap } from "./persistent-map.ts";

/** Value written to a variable. An object is merged with the previous object of the variable. */
export interface VariableWrite {
	/** Number of the publication; all values published together have the same number. */
	readonly id: number;
	readonly held: JournalValue;
	readonly before: VariableWrite | undefined;
	/** Number of earlier writes of the variable. */
	readonly depth: number;
}

/**
 * Variables that a branch sees: for each name, its writes in order. Immutable and shared between tasks: a task that publishes adds its
 * writes to those that it has seen.
 */
export class Variables {
	static readonly empty = new Variables(new PersistentMap());
	readonly #writes: PersistentMap<VariableWrite>;

	private constructor(writes: PersistentMap<VariableWrite>) {
		this.#writes = writes;
	}

	get(name: string): VariableWrite | undefined {
		return this.#writes.get(name);
	}

	names(): readonly string[] {
		return [...this.#writes.entries()].map(([name]) => name);
	}

	publish(id: number, values: Readonly<Record<string, JournalValue>>): Variables {
		let writes = this.#writes;
		for (const [name, held] of Object.entries(values)) writes = writes.set(name, addWrite(writes.get(name), id, held));
		return new Variables(writes);
	}

	/** Merges the variables of two branches: writes that both share, then those of this branch, then those of the other, which win. */
	join(other: Variables): Variables {
		return this === other ? this : new Variables(this.#writes.join(other.#writes, joinWrites));
	}
}

/**
 * Returns the writes that are merged to the value of a variable, the oldest first. Stops at a write for which `isKnown` returns true,
 * because its merged value is cached.
 */
export function toMergedWrites(write: VariableWrite, isKnown: (write: VariableWrite) => boolean): readonly VariableWrite[] {
	const merged: VariableWrite[] = [];
	for (let at: VariableWrite | undefined = write; at !== undefined; at = at.before) {
		if (at !== write && !isObjectValue(at.held)) break;
		merged.push(at);
		if (!isObjectValue(at.held) || isKnown(at)) break;
	}
	return merged.reverse();
}

function addWrite(before: VariableWrite | undefined, id: number, held: JournalValue): VariableWrite {
	return { id, held, before, depth: before === undefined ? 0 : before.depth + 1 };
}

function joinWrites(own: VariableWrite, others: VariableWrite): VariableWrite {
	const shared = findShared(own, others);
	const ownIds = new Set(idsAfter(own, shared));
	const added = writesAfter(others, shared).filter(({ id }) => !ownIds.has(id));
	if (ownIds.size === 0) return others;
	return added.reduce((before: VariableWrite, { id, held }) => addWrite(before, id, held), own);
}

/** Returns the last write that both have in common. */
function findShared(own: VariableWrite, others: VariableWrite): VariableWrite | undefined {
	let first: VariableWrite | undefined = own;
	let second: VariableWrite | undefined = others;
	while (first !== second && first !== undefined && second !== undefined) {
		const depth: number = first.depth - second.depth;
		if (depth >= 0) first = first.before;
		if (depth <= 0) second = second.before;
	}
	return first === second ? first : undefined;
}

function writesAfter(write: VariableWrite, shared: VariableWrite | undefined): readonly VariableWrite[] {
	const writes: VariableWrite[] = [];
	for (let at: VariableWrite | undefined = write; at !== undefined && at !== shared; at = at.before) writes.push(at);
	return writes.reverse();
}

function idsAfter(write: VariableWrite, shared: VariableWrite | undefined): readonly number[] {
	return writesAfter(write, shared).map(({ id }) => id);
}
