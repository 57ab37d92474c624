import type { DefinitionFinding } from "../../../core/contract/index.ts";
import { AssignedVariables } from "./assigned-variables.ts";
import { addBit, type Bits, createBits, hasBit } from "./bits.ts";
import { useFinding } from "./check-expressions.ts";
import type { Definition, TransitionDefinition } from "./definition.ts";
import { type AssignmentUses, type DefinitionUses, type TaskUses, toUses } from "./definition-uses.ts";
import type { LocatedUse } from "./expression-finder.ts";

/** What every definition finds: the service's own objects. */
const given = ["svc", "parent"];

/** Variables that expressions refer to and that nothing has set where they are evaluated. */
export function checkContext(definition: Definition, uses: DefinitionUses): readonly DefinitionFinding[] {
	return new ContextCheck(definition, uses).run();
}

class ContextCheck {
	readonly #definition: Definition;
	readonly #uses: DefinitionUses;
	readonly #findings: DefinitionFinding[] = [];
	/** Variables that are referred to: all others cannot be missed. */
	readonly #numbers: ReadonlyMap<string, number>;

	constructor(definition: Definition, uses: DefinitionUses) {
		this.#definition = definition;
		this.#uses = uses;
		const names = new Set(toUses(uses).flatMap(({ variables }) => variables));
		this.#numbers = new Map([...names].map((name, number) => [name, number]));
	}

	run(): readonly DefinitionFinding[] {
		const { graph } = this.#definition;
		const known = createBits(this.#numbers.size);
		for (const name of given) this.#add(known, name);
		this.#checkAssignments([...this.#uses.input, ...this.#uses.vars], known);
		this.#checkUses(this.#uses.timeout, known);
		const published = ({ publish }: TransitionDefinition) => publish.flatMap(({ name }) => this.#numbers.get(name) ?? []);
		const assigned = new AssignedVariables(this.#definition, known, published);
		for (const [name, task] of this.#uses.tasks) this.#checkTask(task, assigned.before(name));
		const transitions = new Set([...graph.from.values()].flat().map(({ transition }) => transition));
		for (const number of [...transitions].flatMap(published)) addBit(known, number);
		this.#checkAssignments(this.#uses.output, known);
		return this.#findings;
	}

	/** A task that nothing reaches has nothing before it. */
	#checkTask({ own, transitions }: TaskUses, known: Bits | undefined): void {
		if (known === undefined) return;
		this.#checkUses(own, known);
		for (const { when, publish } of transitions) {
			this.#checkUses(when, known);
			this.#checkAssignments(publish, known.slice());
		}
	}

	/** Each one may refer to those before it. */
	#checkAssignments(assignments: readonly AssignmentUses[], known: Bits): void {
		for (const { name, uses } of assignments) {
			this.#checkUses(uses, known);
			if (name !== undefined) this.#add(known, name);
		}
	}

	#add(known: Bits, name: string): void {
		const number = this.#numbers.get(name);
		if (number !== undefined) addBit(known, number);
	}

	#checkUses(uses: readonly LocatedUse[], known: Bits): void {
		for (const use of uses) {
			for (const name of use.variables) {
				const message = this.#toProblem(name, known);
				if (message !== undefined) this.#findings.push(useFinding(use, "context", message));
			}
		}
	}

	#toProblem(name: string, known: Bits): string | undefined {
		if (name.startsWith("__")) return `Variable "${name}" is private, as its name begins with two underscores, and cannot be referenced.`;
		return hasBit(known, this.#numbers.get(name) ?? 0) ? undefined : `Variable "${name}" is referenced before assignment.`;
	}
}
