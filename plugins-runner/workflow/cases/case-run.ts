import {
	type ChildRequest,
	type ExecutionStatus,
	type JsonObject,
	parseJson,
	stringifyJson,
	type TaskState,
} from "../../../core/contract/index.ts";
import type { Conductor } from "../conductor/conductor.ts";
import type { Step, WorkflowEnd, WorkflowEvent } from "../conductor-protocol.ts";
import type { DefinitionCase, GivenResult } from "./read-cases.ts";

/** Maximum number of steps in a case, because a workflow may loop forever. */
const maxSteps = 10_000;
/** Time at which every case begins, in microseconds, so that results are reproducible. */
const startTime = 1_800_000_000_000_000;

interface Child {
	readonly key: string;
	readonly id: string;
	readonly given: GivenResult | undefined;
	/** True if the child waits for an answer, which a case never gives. */
	isPending: boolean;
}

export interface CaseEnd {
	/** Undefined if the case does not end. */
	readonly end: WorkflowEnd | undefined;
	readonly tasks: readonly TaskState[];
	/** Results of the case that no action has used. */
	readonly unused: readonly GivenResult[];
}

/**
 * Runs a definition while its actions end as a case specifies. All actions that run at once end together. Time advances only when nothing
 * else is due.
 */
export class CaseRun {
	/** Journal of the run. */
	readonly entries: JsonObject[] = [];
	readonly #case: DefinitionCase;
	readonly #conductor: Conductor;
	readonly #results: Map<string, JsonObject | null>;
	/** Children that have not ended, by their keys. */
	readonly #openChildren = new Map<string, Child>();
	/** Number of each start of a task: by task name and route, then by the key of the start. */
	readonly #starts = new Map<string, Map<string, number>>();
	readonly #usedResults = new Set<GivenResult>();
	#now = startTime;
	#end: WorkflowEnd | undefined;

	/** @param results Results of children by their ids; the conductor reads them, and this run adds to them. */
	constructor(given: DefinitionCase, conductor: Conductor, results: Map<string, JsonObject | null>) {
		this.#case = given;
		this.#conductor = conductor;
		this.#results = results;
	}

	async run(): Promise<CaseEnd> {
		const { svc = {}, parent = {} } = this.#case.context;
		await this.#handle({ type: "begin", parameters: this.#case.input, system: { svc, parent } });
		for (let steps = 0; this.#end === undefined && steps < maxSteps; steps++) if (!(await this.#advance())) break;
		const unused = this.#case.results.filter((given) => !this.#usedResults.has(given));
		return { end: this.#end, tasks: this.#conductor.progress().tasks, unused };
	}

	/** Advances the case by one step. Returns false if nothing is left to happen. */
	async #advance(): Promise<boolean> {
		const wake = this.#conductor.nextWake();
		if (wake !== undefined && wake <= this.#now) return this.#handle({ type: "wake" });
		const ending = [...this.#openChildren.values()].filter(({ isPending, given }) => !isPending && given?.status !== "running");
		if (ending.length > 0) return this.#handle(...ending.map((child) => this.#changeStatus(child, child.given?.status ?? "succeeded")));
		if (wake === undefined) return false;
		this.#now = wake;
		return this.#handle({ type: "wake" });
	}

	#changeStatus(child: Child, status: ExecutionStatus): WorkflowEvent {
		child.isPending = status === "pending";
		if (!child.isPending) this.#openChildren.delete(child.key);
		return { type: "child", key: child.key, id: child.id, status };
	}

	async #handle(...events: readonly WorkflowEvent[]): Promise<boolean> {
		const step = await this.#conductor.handle(events, this.#now);
		// Serialize and parse the entry, as storing and reading it would.
		if (step.entry !== undefined) this.entries.push(parseJson(stringifyJson(step.entry)) as JsonObject);
		for (const request of step.start) this.#start(request);
		this.#end = step.end;
		await this.#carryOut(step);
		return true;
	}

	/** Carries out the requests of a step immediately. */
	async #carryOut({ cancel, request }: Step): Promise<void> {
		if (request !== undefined) await this.#handle({ type: request });
		const cancelEvents = cancel.flatMap((key) => this.#openChildren.get(key) ?? []).map((child) => this.#changeStatus(child, "canceled"));
		if (cancelEvents.length > 0) await this.#handle(...cancelEvents);
	}

	#start(request: ChildRequest): void {
		const given = this.#findResult(request);
		if (given !== undefined) this.#usedResults.add(given);
		const id = `child${this.#results.size}`;
		this.#results.set(id, given?.result ?? null);
		this.#openChildren.set(request.key, { key: request.key, id, given, isPending: false });
	}

	/** Returns the given result for a child: the first unused one that matches, otherwise the last one that matches. Undefined if none does. */
	#findResult({ key, context }: ChildRequest): GivenResult | undefined {
		const { task_name: name, task_route: route, item_id: item } = (context?.["workflow"] ?? {}) as JsonObject;
		const starts = this.#starts.get(`${name}__r${route}`) ?? new Map<string, number>();
		this.#starts.set(`${name}__r${route}`, starts);
		// The keys of all items of an attempt have the same beginning.
		const start = key.split(".").slice(0, 2).join(".");
		const occurrence = starts.get(start) ?? starts.size + 1;
		starts.set(start, occurrence);
		const matches = (given: number | undefined, value: unknown) => given === undefined || given === value;
		const candidates = this.#case.results.filter(
			(each) => each.task === name && matches(each.route, route) && matches(each.occurrence, occurrence) && matches(each.item, item),
		);
		return candidates.find((each) => !this.#usedResults.has(each)) ?? candidates.at(-1);
	}
}
