import { createHash } from "node:crypto";
import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import type { Expressions, JsonObject, JsonValue } from "../../../core/contract/index.ts";
import type { Definition } from "../definition/definition.ts";
import { applyFact } from "./apply-fact.ts";
import { ChildResults } from "./child-results.ts";
import { Evaluation } from "./evaluation.ts";
import type { Fact, JournalEntry, JournalRecord } from "./facts.ts";
import { JournalValues } from "./journal-values.ts";
import { Renderer } from "./renderer.ts";
import { RunState } from "./run-state.ts";

/** Services and ids that a conductor needs. */
export interface ConductorTools {
	readonly expressions: Expressions;
	/**
	 * Returns the result of a child that has ended, or the question of a child that waits for an answer. Null if there is none. Repeated calls
	 * return the same value.
	 */
	result(executionId: string): Promise<JsonObject | null>;
	/** Id of the execution that runs the workflow. */
	readonly executionId: string;
	/** Id of the execution that first started this workflow. It differs from `executionId` in a partial re-run. */
	readonly workflowExecutionId: string;
}

/** Run of a workflow: its definition, its state, and the facts decided in the current step. */
export class ConductorRun {
	readonly definition: Definition;
	readonly tools: ConductorTools;
	readonly state = new RunState();
	readonly held = new JournalValues();
	readonly evaluation: Evaluation;
	readonly renderer: Renderer;
	/** Current time in microseconds. */
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

	/** Records a fact: applies it to the state and adds it to the journal entry of the step. */
	record(fact: Fact): void {
		applyFact(this.state, fact, this.now);
		this.facts.push(fact);
		const line = this.#toLine(fact);
		if (line !== undefined) this.lines.push(line);
	}

	recordError(entry: JsonObject): void {
		this.record({ fact: "error", entry: { type: "error", ...this.encode(entry) } });
	}

	/** Marks the workflow as failed, unless it already ends otherwise. */
	fail(): void {
		if (this.state.status === "running" || this.state.status === "pausing") this.record({ fact: "status", status: "failed" });
	}

	encode(values: Readonly<Record<string, JsonValue>>): JournalRecord {
		return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, this.held.encode(value)]));
	}

	/** Returns the id of a task execution: 24 hexadecimal digits, the same on every node that continues the run. */
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

/** Milliseconds of replaying within one turn of the event loop. */
const maxTurnMs = 10;

/**
 * Restores a state from its journal. Yields to the event loop every 10 ms, because the journal of a task with 100,000 items takes seconds
 * to replay. Without that, no other request would be served.
 */
export async function replay(
	run: { readonly state: RunState; readonly held: JournalValues },
	entries: readonly JsonObject[],
): Promise<void> {
	let turnStartedAt = performance.now();
	for (const { at, facts } of flattenEntries(entries)) {
		for (const fact of facts) {
			replayFacts(run.state, run.held, { at, facts: [fact] });
			if (performance.now() - turnStartedAt < maxTurnMs) continue;
			await nextEventLoopTurn();
			turnStartedAt = performance.now();
		}
	}
}

/** Returns the entries of a run, preceded by those of all executions that it runs again in part. */
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
