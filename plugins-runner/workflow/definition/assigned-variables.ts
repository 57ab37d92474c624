import { addAll, addBit, type Bits, createBits, keepAll } from "./bits.ts";
import type { Definition, Edge, TransitionDefinition } from "./definition.ts";

/** Returns the numbers of the variables that a transition publishes. */
export type PublishedNumbers = (transition: TransitionDefinition) => readonly number[];

/**
 * Variables that are assigned before a task starts, for each reachable task. A join has the variables of any path to it, because paths that
 * have not arrived yet may arrive. Any other task has only the variables that are assigned on every path.
 */
export class AssignedVariables {
	readonly #definition: Definition;
	readonly #published: PublishedNumbers;
	readonly #assignedBefore = new Map<string, Bits>();
	readonly #arriving = new Map<string, Edge[]>();

	/** @param known Variables that are assigned before the first task. */
	constructor(definition: Definition, known: Bits, published: PublishedNumbers) {
		this.#definition = definition;
		this.#published = published;
		for (const edge of [...definition.graph.from.values()].flat()) {
			const arriving = this.#arriving.get(edge.target);
			if (arriving === undefined) this.#arriving.set(edge.target, [edge]);
			else arriving.push(edge);
		}
		this.#addAnyPath(known);
		this.#keepEveryPath();
	}

	/** Returns the variables that are assigned before the task starts; undefined if the task cannot be reached. */
	before(task: string): Bits | undefined {
		return this.#assignedBefore.get(task);
	}

	/** Gives each task the variables that are assigned on any path to it. */
	#addAnyPath(known: Bits): void {
		const { graph, tasks } = this.#definition;
		for (const name of graph.starts) this.#assignedBefore.set(name, known.slice());
		const pending = new Set(graph.starts);
		for (const name of pending) {
			pending.delete(name);
			for (const edge of graph.from.get(name) ?? []) {
				if (!tasks.has(edge.target)) continue;
				const before = this.#assignedBefore.get(edge.target);
				const next = before ?? createBits(known.length * 32);
				this.#assignedBefore.set(edge.target, next);
				if (addAll(next, this.#after(edge)) || before === undefined) pending.add(edge.target);
			}
		}
	}

	/** Removes variables that are assigned on some paths only, except at joins. */
	#keepEveryPath(): void {
		const pending = new Set(this.#assignedBefore.keys());
		for (const name of pending) {
			pending.delete(name);
			const before = this.#assignedBefore.get(name);
			if (before === undefined || !this.#narrowTask(name, before)) continue;
			for (const { target } of this.#definition.graph.from.get(name) ?? []) pending.add(target);
		}
	}

	#narrowTask(name: string, before: Bits): boolean {
		const arriving = this.#arriving.get(name) ?? [];
		if (arriving.length === 0) return false;
		const isJoin = (this.#definition.tasks.get(name)?.join ?? null) !== null;
		if (!isJoin) return arriving.map((edge) => keepAll(before, this.#after(edge))).includes(true);
		const anyPath = createBits(before.length * 32);
		for (const edge of arriving) addAll(anyPath, this.#after(edge));
		return keepAll(before, anyPath);
	}

	/** Returns the variables that are assigned after an edge. */
	#after({ source, transition }: Edge): Bits {
		const bits = this.#assignedBefore.get(source)?.slice() ?? createBits(0);
		for (const number of this.#published(transition)) addBit(bits, number);
		return bits;
	}
}
