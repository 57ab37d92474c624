/** Returns the names of the nodes in cycles: those from which a path leads back to the node itself. */
export function findCyclicNames(names: Iterable<string>, next: (name: string) => readonly string[]): ReadonlySet<string> {
	const search = new ComponentSearch(next);
	for (const name of names) search.visit(name);
	return search.cyclic;
}

interface Visit {
	readonly name: string;
	readonly targets: readonly string[];
	position: number;
}

/** Tarjan's search for strongly connected components. It does not recurse, because a definition may be one long chain of tasks. */
class ComponentSearch {
	readonly cyclic = new Set<string>();
	readonly #next: (name: string) => readonly string[];
	readonly #index = new Map<string, number>();
	readonly #lowestIndex = new Map<string, number>();
	readonly #component: string[] = [];
	readonly #onStack = new Set<string>();

	constructor(next: (name: string) => readonly string[]) {
		this.#next = next;
	}

	visit(start: string): void {
		if (this.#index.has(start)) return;
		const path = [this.#enter(start)];
		for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
			const target = visit.targets[visit.position++];
			if (target === undefined) {
				path.pop();
				this.#leave(visit.name, path.at(-1)?.name);
			} else if (!this.#index.has(target)) path.push(this.#enter(target));
			else if (this.#onStack.has(target)) this.#lower(visit.name, this.#index.get(target) ?? 0);
		}
	}

	#enter(name: string): Visit {
		this.#lowestIndex.set(name, this.#index.size);
		this.#index.set(name, this.#index.size);
		this.#component.push(name);
		this.#onStack.add(name);
		return { name, targets: this.#next(name), position: 0 };
	}

	#leave(name: string, parent: string | undefined): void {
		const lowest = this.#lowestIndex.get(name) ?? 0;
		if (parent !== undefined) this.#lower(parent, lowest);
		if (lowest !== this.#index.get(name)) return;
		const members = this.#component.splice(this.#component.lastIndexOf(name));
		for (const member of members) this.#onStack.delete(member);
		if (members.length > 1 || this.#next(name).includes(name)) for (const member of members) this.cyclic.add(member);
	}

	#lower(name: string, index: number): void {
		this.#lowestIndex.set(name, Math.min(this.#lowestIndex.get(name) ?? 0, index));
	}
}
