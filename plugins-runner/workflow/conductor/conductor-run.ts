import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Expressions, JsonObject, JsonValue } from "../../../core/contract/index.ts";
import type { Definition } from "../definition/definition.ts";
import { applyFact } from "./apply-fact.ts";
import { ChildResults } from "./child-results.ts";
import { Evaluation } from "./evaluation.ts";
import type { Fact, JournalEntry, JournalRecord } from "./facts.ts";
import { JournalValues } from "./journal-values.ts";
import { Renderer } from "./renderer.ts";
import { RunState } from "./run-state.ts";

/** What a conductor works with. */
export interface ConductorTools {
	readonly expressions: Expressions;
	/** What a child has ended with, or asks; the same value whenever it is asked for again. Null: nothing. */
	result(executionId: string): Promise<JsonObject | null>;
	/** The execution that runs the workflow. */
	readonly executionId: string;
	/** The one that began it: another one when this takes it up again. */
	readonly workflowExecutionId: string;
}

/** A run of a workflow: its definition, what has become of it, and what is decided about it in this step. */
export class ConductorRun {
	readonly definition: Definition;
	readonly tools: ConductorTools;
	readonly state = new RunState();
	readonly held = new JournalValues();
	readonly evaluation: Evaluation;
	readonly renderer: Renderer;
	/** Microseconds. */
	now = 0;
	facts: Fact[] = [];
	lines: string[] = [];

	constructor(definition: Definition, tools: ConductorTools) {
		this.definition = definition;
		this.tools = tools;
		const { expressions } = tools;
		const results = new ChildResults((executionId) => tools.result(executionId), this.held);
		this.evaluation = new Evaluation({ expressions, state: this.state, held: this.held, results });
		this.renderer = new Renderer(expressions, this.evaluation);
	}

	/** What is decided: it changes the state, and stands in the journal. */
	record(fact: Fact): void {
		applyFact(this.state, fact, this.now);
		this.facts.push(fact);
		const line = this.#toLine(fact);
		if (line !== undefined) this.lines.push(line);
	}

	recordError(entry: JsonObject): void {
		this.record({ fact: "error", entry: { type: "error", ...this.encode(entry) } });
	}

	/** The workflow fails, unless it ends otherwise. */
	fail(): void {
		if (this.state.status === "running" || this.state.status === "pausing") this.record({ fact: "status", status: "failed" });
	}

	encode(values: Readonly<Record<string, JsonValue>>): JournalRecord {
		return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, this.held.encode(value)]));
	}

	/** 24 hexadecimal digits, the same whoever goes on with the run. */
	toTaskId(name: string, route: number, instance: number): string {
		const text = JSON.stringify([this.tools.executionId, name, route, instance]);
		return createHash("sha256").update(text).digest("hex").slice(0, 24);
	}

	#toLine(fact: Fact): string | undefined {
		if (fact.fact === "start") return toLine(this.state.tasks.at(-1), "started");
		if (fact.fact === "end") return toLine(this.state.tasks[fact.task], fact.status);
		return fact.fact === "retry" ? toLine(this.state.tasks[fact.task], "is tried again") : undefined;
	}
}

/** Milliseconds of replaying in one turn of the event loop. */
const turnMilliseconds = 10;

/**
 * Makes a state what its journal says, in pieces: the journal of a task with 100,000 items takes seconds, in which the event loop would answer
 * no other request.
 */
export async function replay(
	run: { readonly state: RunState; readonly held: JournalValues },
	entries: readonly JsonObject[],
): Promise<void> {
	let began = performance.now();
	for (const { at, facts } of flattenEntries(entries)) {
		for (const fact of facts) {
			replayFacts(run.state, run.held, { at, facts: [fact] });
			if (performance.now() - began < turnMilliseconds) continue;
			await nextTurn();
			began = performance.now();
		}
	}
}

/** Entries of a run and of all that it has taken up, one behind another. */
export function flattenEntries(entries: readonly JsonObject[]): readonly JournalEntry[] {
	return (entries as unknown as readonly JournalEntry[]).flatMap(({ earlier = [], ...entry }) => [...earlier, entry]);
}

function replayFacts(state: RunState, held: JournalValues, { at, facts }: Pick<JournalEntry, "at" | "facts">): void {
	for (const fact of facts) {
		held.readFact(fact as unknown as JsonObject);
		applyFact(state, fact, at);
	}
}

function toLine(run: { readonly name: string; readonly route: number } | undefined, what: string): string | undefined {
	if (run === undefined) return undefined;
	return `task ${run.name}${run.route === 0 ? "" : ` (route ${run.route})`} ${what}`;
}
