/** Entries whose names have the same hash. */
interface Leaf<V> {
	readonly hash: number;
	readonly entries: readonly (readonly [name: string, value: V])[];
}

type Branch<V> = readonly (Place<V> | undefined)[];
type Place<V> = Leaf<V> | Branch<V>;

const width = 16;
const bits = 4;

/**
 * Values by names, never changed: what sets one makes another map, which shares with the first all but a few places. So each task of a run
 * may keep what it sees, however many tasks and names there are.
 */
export class PersistentMap<V> {
	readonly #top: Place<V> | undefined;

	constructor(top?: Place<V>) {
		this.#top = top;
	}

	get(name: string): V | undefined {
		const hash = toHash(name);
		let place = this.#top;
		for (let shift = 0; isBranch(place); shift += bits) place = place[(hash >>> shift) & (width - 1)];
		return place?.entries.find(([key]) => key === name)?.[1];
	}

	set(name: string, value: V): PersistentMap<V> {
		return new PersistentMap(insert(this.#top, { hash: toHash(name), entries: [[name, value]] }, 0, (_, after) => after));
	}

	/** Both together; `combine` is asked where they have unlike values. What they share is not looked at. */
	join(other: PersistentMap<V>, combine: (own: V, others: V) => V): PersistentMap<V> {
		return new PersistentMap(joinPlaces(this.#top, other.#top, 0, combine));
	}

	*entries(): IterableIterator<readonly [string, V]> {
		yield* entriesOf(this.#top);
	}
}

function isBranch<V>(place: Place<V> | undefined): place is Branch<V> {
	return Array.isArray(place);
}

/** FNV-1a. */
function toHash(name: string): number {
	let hash = 0x811c9dc5;
	for (let index = 0; index < name.length; index++) hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
	return hash >>> 0;
}

function insert<V>(place: Place<V> | undefined, leaf: Leaf<V>, shift: number, combine: (own: V, others: V) => V): Place<V> {
	if (place === undefined) return leaf;
	if (isBranch(place)) {
		const at = (leaf.hash >>> shift) & (width - 1);
		return place.with(at, insert(place[at], leaf, shift + bits, combine));
	}
	if (place.hash === leaf.hash) return joinLeaves(place, leaf, combine);
	const branch = new Array<Place<V> | undefined>(width).fill(undefined);
	branch[(place.hash >>> shift) & (width - 1)] = place;
	return insert(branch, leaf, shift, combine);
}

function joinPlaces<V>(
	own: Place<V> | undefined,
	others: Place<V> | undefined,
	shift: number,
	combine: (own: V, others: V) => V,
): Place<V> | undefined {
	if (own === others || others === undefined) return own;
	if (own === undefined) return others;
	if (!isBranch(others)) return insert(own, others, shift, combine);
	if (!isBranch(own)) return insert(others, own, shift, (after, before) => combine(before, after));
	const joined = own.map((place, at) => joinPlaces(place, others[at], shift + bits, combine));
	return joined.every((place, at) => place === own[at]) ? own : joined;
}

function joinLeaves<V>(own: Leaf<V>, others: Leaf<V>, combine: (own: V, others: V) => V): Leaf<V> {
	const entries = [...own.entries];
	for (const [name, value] of others.entries) {
		const at = entries.findIndex(([key]) => key === name);
		const before = entries[at];
		if (before === undefined) entries.push([name, value]);
		else if (before[1] !== value) entries[at] = [name, combine(before[1], value)];
	}
	return { hash: own.hash, entries };
}

function* entriesOf<V>(place: Place<V> | undefined): IterableIterator<readonly [string, V]> {
	if (place === undefined) return;
	if (!isBranch(place)) yield* place.entries;
	else for (const inner of place) yield* entriesOf(inner);
}
