import { isObjectValue, type JournalValue } from "./journal-values.ts";
import { PersistentMap } from "./persistent-map.ts";

/** A value that a variable has got. Objects are merged with the object that it was before. */
export interface VariableWrite {
	/** Of what has published it. */
	readonly id: number;
	readonly held: JournalValue;
	readonly before: VariableWrite | undefined;
	/** How many are before it. */
	readonly depth: number;
}

/**
 * What a branch sees: for each variable what the branch has written, one behind another. Never changed, and shared between tasks: a task that
 * publishes adds what is new to what it has seen.
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

	/** What two branches have written, behind what they share: of this one first, so that the other's counts where both have written. */
	join(other: Variables): Variables {
		return this === other ? this : new Variables(this.#writes.join(other.#writes, joinWrites));
	}
}

/** The objects that a value is merged of, the oldest first. */
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
	const ownIds = new Set(idsBehind(own, shared));
	const added = writesBehind(others, shared).filter(({ id }) => !ownIds.has(id));
	if (ownIds.size === 0) return others;
	return added.reduce((before: VariableWrite, { id, held }) => addWrite(before, id, held), own);
}

/** The last one that both have. */
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

function writesBehind(write: VariableWrite, shared: VariableWrite | undefined): readonly VariableWrite[] {
	const found: VariableWrite[] = [];
	for (let at: VariableWrite | undefined = write; at !== undefined && at !== shared; at = at.before) found.push(at);
	return found.reverse();
}

function idsBehind(write: VariableWrite, shared: VariableWrite | undefined): readonly number[] {
	return writesBehind(write, shared).map(({ id }) => id);
}
