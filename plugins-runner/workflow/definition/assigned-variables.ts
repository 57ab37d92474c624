import { addAll, addBit, type Bits, createBits, keepAll } from "./bits.ts";
import type { Definition, Edge, TransitionDefinition } from "./definition.ts";

/** Numbers of the variables that a transition publishes. */
export type PublishedNumbers = (transition: TransitionDefinition) => readonly number[];

/**
 * Which variables are set before a task begins, for each that is reached: in a join what any way to it has set, as those that have not come
 * yet may have; elsewhere what every way has.
 */
export class AssignedVariables {
	readonly #definition: Definition;
	readonly #published: PublishedNumbers;
	readonly #before = new Map<string, Bits>();
	readonly #arriving = new Map<string, Edge[]>();

	/** `known` is set before everything. */
	constructor(definition: Definition, known: Bits, published: PublishedNumbers) {
		this.#definition = definition;
		this.#published = published;
		for (const edge of [...definition.graph.from.values()].flat()) {
			const arriving = this.#arriving.get(edge.target);
			if (arriving === undefined) this.#arriving.set(edge.target, [edge]);
			else arriving.push(edge);
		}
		this.#spread(known);
		this.#narrow();
	}

	/** Undefined for a task that nothing reaches. */
	before(task: string): Bits | undefined {
		return this.#before.get(task);
	}

	/** What any way sets, everywhere. */
	#spread(known: Bits): void {
		const { graph, tasks } = this.#definition;
		for (const name of graph.starts) this.#before.set(name, known.slice());
		const open = new Set(graph.starts);
		for (const name of open) {
			open.delete(name);
			for (const edge of graph.from.get(name) ?? []) {
				if (!tasks.has(edge.target)) continue;
				const before = this.#before.get(edge.target);
				const next = before ?? createBits(known.length * 32);
				this.#before.set(edge.target, next);
				if (addAll(next, this.#after(edge)) || before === undefined) open.add(edge.target);
			}
		}
	}

	/** Without what only some ways set, but for joins. */
	#narrow(): void {
		const open = new Set(this.#before.keys());
		for (const name of open) {
			open.delete(name);
			const before = this.#before.get(name);
			if (before === undefined || !this.#narrowTask(name, before)) continue;
			for (const { target } of this.#definition.graph.from.get(name) ?? []) open.add(target);
		}
	}

	#narrowTask(name: string, before: Bits): boolean {
		const arriving = this.#arriving.get(name) ?? [];
		if (arriving.length === 0) return false;
		const isJoin = (this.#definition.tasks.get(name)?.join ?? null) !== null;
		if (!isJoin) return arriving.map((edge) => keepAll(before, this.#after(edge))).includes(true);
		const any = createBits(before.length * 32);
		for (const edge of arriving) addAll(any, this.#after(edge));
		return keepAll(before, any);
	}

	/** What is set at the end of a way. */
	#after({ source, transition }: Edge): Bits {
		const bits = this.#before.get(source)?.slice() ?? createBits(0);
		for (const number of this.#published(transition)) addBit(bits, number);
		return bits;
	}
}
