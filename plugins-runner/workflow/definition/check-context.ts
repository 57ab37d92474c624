import type { DefinitionFinding } from "../../../core/contract/index.ts";
import { AssignedVariables } from "./assigned-variables.ts";
import { addBit, type Bits, createBits, hasBit } from "./bits.ts";
import { useFinding } from "./check-expressions.ts";
import type { Definition, TransitionDefinition } from "./definition.ts";
import { type AssignmentUses, type DefinitionUses, type TaskUses, toUses } from "./definition-uses.ts";
import type { LocatedUse } from "./expression-finder.ts";

/** Variables of every definition: the objects of the service. */
const predefinedVariables = ["svc", "parent"];

/** Returns findings about variables that an expression uses before they are assigned. */
export function checkContext(definition: Definition, uses: DefinitionUses): readonly DefinitionFinding[] {
	return new ContextCheck(definition, uses).run();
}

class ContextCheck {
	readonly #definition: Definition;
	readonly #uses: DefinitionUses;
	readonly #findings: DefinitionFinding[] = [];
	/** Numbers of the variables that expressions use; other variables need not be tracked. */
	readonly #numbers: ReadonlyMap<string, number>;

	constructor(definition: Definition, uses: DefinitionUses) {
		this.#definition = definition;
		this.#uses = uses;
		const names = new Set(toUses(uses).flatMap(({ variables }) => variables));
		this.#numbers = new Map([...names].map((name, number) => [name, number]));
	}

	run(): readonly DefinitionFinding[] {
		const { graph } = this.#definition;
		const assigned = createBits(this.#numbers.size);
		for (const name of predefinedVariables) this.#add(assigned, name);
		this.#checkAssignments([...this.#uses.input, ...this.#uses.vars], assigned);
		this.#checkUses(this.#uses.timeout, assigned);
		const published = ({ publish }: TransitionDefinition) => publish.flatMap(({ name }) => this.#numbers.get(name) ?? []);
		const variablesBefore = new AssignedVariables(this.#definition, assigned, published);
		for (const [name, task] of this.#uses.tasks) this.#checkTask(task, variablesBefore.before(name));
		const transitions = new Set([...graph.from.values()].flat().map(({ transition }) => transition));
		for (const number of [...transitions].flatMap(published)) addBit(assigned, number);
		this.#checkAssignments(this.#uses.output, assigned);
		return this.#findings;
	}

	/** Checks a task. A task that cannot be reached has no variables and is not checked. */
	#checkTask({ own, transitions }: TaskUses, assigned: Bits | undefined): void {
		if (assigned === undefined) return;
		this.#checkUses(own, assigned);
		for (const { when, publish } of transitions) {
			this.#checkUses(when, assigned);
			this.#checkAssignments(publish, assigned.slice());
		}
	}

	/** Checks assignments. Each one may use variables of those before it. */
	#checkAssignments(assignments: readonly AssignmentUses[], assigned: Bits): void {
		for (const { name, uses } of assignments) {
			this.#checkUses(uses, assigned);
			if (name !== undefined) this.#add(assigned, name);
		}
	}

	#add(assigned: Bits, name: string): void {
		const number = this.#numbers.get(name);
		if (number !== undefined) addBit(assigned, number);
	}

	#checkUses(uses: readonly LocatedUse[], assigned: Bits): void {
		for (const use of uses) {
			for (const name of use.variables) {
				const message = this.#describeProblem(name, assigned);
				if (message !== undefined) this.#findings.push(useFinding(use, "context", message));
			}
		}
	}

	#describeProblem(name: string, assigned: Bits): string | undefined {
		if (name.startsWith("__"))
			return `Variable "${name}" is private, because its name begins with two underscores, and cannot be referenced.`;
		return hasBit(assigned, this.#numbers.get(name) ?? 0) ? undefined : `Variable "${name}" is referenced before assignment.`;
	}
}
