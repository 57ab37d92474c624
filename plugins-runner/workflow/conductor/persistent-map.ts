/** Entries whose names have the same hash. */
interface Leaf<V> {
	readonly hash: number;
	readonly entries: readonly (readonly [name: string, value: V])[];
}

type Branch<V> = readonly (TrieNode<V> | undefined)[];
type TrieNode<V> = Leaf<V> | Branch<V>;

/** Number of children of a branch, and number of bits of the hash that select one. */
const branchWidth = 16;
const bitsPerLevel = 4;

/**
 * Immutable map from names to values (a hash trie). `set` returns a new map that shares all but a few nodes with the old one. Each task of
 * a run can therefore keep its variables, however many tasks and names there are.
 */
export class PersistentMap<V> {
	readonly #root: TrieNode<V> | undefined;

	constructor(root?: TrieNode<V>) {
		this.#root = root;
	}

	get(name: string): V | undefined {
		const hash = toHash(name);
		let node = this.#root;
		for (let shift = 0; isBranch(node); shift += bitsPerLevel) node = node[(hash >>> shift) & (branchWidth - 1)];
		return node?.entries.find(([key]) => key === name)?.[1];
	}

	set(name: string, value: V): PersistentMap<V> {
		return new PersistentMap(insert(this.#root, { hash: toHash(name), entries: [[name, value]] }, 0, (_, after) => after));
	}

	/** Merges two maps. Where both have different values for a name, `combine` decides. Shared nodes are not visited. */
	join(other: PersistentMap<V>, combine: (own: V, others: V) => V): PersistentMap<V> {
		return new PersistentMap(joinNodes(this.#root, other.#root, 0, combine));
	}

	*entries(): IterableIterator<readonly [string, V]> {
		yield* entriesOf(this.#root);
	}
}

function isBranch<V>(node: TrieNode<V> | undefined): node is Branch<V> {
	return Array.isArray(node);
}

/** Returns the 32-bit FNV-1a hash of a name. */
function toHash(name: string): number {
	let hash = 0x811c9dc5;
	for (let index = 0; index < name.length; index++) hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
	return hash >>> 0;
}

function insert<V>(node: TrieNode<V> | undefined, leaf: Leaf<V>, shift: number, combine: (own: V, others: V) => V): TrieNode<V> {
	if (node === undefined) return leaf;
	if (isBranch(node)) {
		const at = (leaf.hash >>> shift) & (branchWidth - 1);
		return node.with(at, insert(node[at], leaf, shift + bitsPerLevel, combine));
	}
	if (node.hash === leaf.hash) return joinLeaves(node, leaf, combine);
	const branch = new Array<TrieNode<V> | undefined>(branchWidth).fill(undefined);
	branch[(node.hash >>> shift) & (branchWidth - 1)] = node;
	return insert(branch, leaf, shift, combine);
}

function joinNodes<V>(
	own: TrieNode<V> | undefined,
	others: TrieNode<V> | undefined,
	shift: number,
	combine: (own: V, others: V) => V,
): TrieNode<V> | undefined {
	if (own === others || others === undefined) return own;
	if (own === undefined) return others;
	if (!isBranch(others)) return insert(own, others, shift, combine);
	if (!isBranch(own)) return insert(others, own, shift, (after, before) => combine(before, after));
	const joined = own.map((node, at) => joinNodes(node, others[at], shift + bitsPerLevel, combine));
	return joined.every((node, at) => node === own[at]) ? own : joined;
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

function* entriesOf<V>(node: TrieNode<V> | undefined): IterableIterator<readonly [string, V]> {
	if (node === undefined) return;
	if (!isBranch(node)) yield* node.entries;
	else for (const inner of node) yield* entriesOf(inner);
}
