import {
	type ChildRequest,
	type ExecutionStatus,
	type JsonObject,
	parseJson,
	stringifyJson,
	type TaskState,
} from "../../../core/contract/index.ts";
import type { Conductor } from "../conductor/conductor.ts";
import type { Step, WorkflowEnd, WorkflowEvent } from "../steps.ts";
import type { DefinitionCase, GivenResult } from "./read-cases.ts";

/** Most times that something happens in a case: a workflow may go in circles. */
const mostSteps = 10_000;
/** When a case begins, in microseconds: the same for each, so that the same comes of it. */
const begin = 1_800_000_000_000_000;

interface Child {
	readonly key: string;
	readonly id: string;
	readonly given: GivenResult | undefined;
	/** It waits for an answer, which nobody gives. */
	isPending: boolean;
}

/** What came of a case. */
export interface CaseEnd {
	/** Undefined when it does not come to an end. */
	readonly end: WorkflowEnd | undefined;
	readonly tasks: readonly TaskState[];
	/** Results that no action has taken. */
	readonly unused: readonly GivenResult[];
}

/** Runs a definition while its actions end as a case says, all that run at once together. Time passes where nothing else happens. */
export class CaseRun {
	/** The journal. */
	readonly entries: JsonObject[] = [];
	readonly #case: DefinitionCase;
	readonly #conductor: Conductor;
	readonly #results: Map<string, JsonObject | null>;
	/** By their keys, those that have not ended. */
	readonly #open = new Map<string, Child>();
	/** How often tasks have been started, by name and route, and which starts these were. */
	readonly #starts = new Map<string, Map<string, number>>();
	readonly #used = new Set<GivenResult>();
	#now = begin;
	#end: WorkflowEnd | undefined;

	/** `results` are those of children by their ids, which the conductor asks for: this adds to them. */
	constructor(given: DefinitionCase, conductor: Conductor, results: Map<string, JsonObject | null>) {
		this.#case = given;
		this.#conductor = conductor;
		this.#results = results;
	}

	async run(): Promise<CaseEnd> {
		const { svc = {}, parent = {} } = this.#case.context;
		await this.#tell({ type: "begin", parameters: this.#case.input, system: { svc, parent } });
		for (let steps = 0; this.#end === undefined && steps < mostSteps; steps++) if (!(await this.#goOn())) break;
		const unused = this.#case.results.filter((given) => !this.#used.has(given));
		return { end: this.#end, tasks: this.#conductor.progress().tasks, unused };
	}

	/** Whether anything has happened. */
	async #goOn(): Promise<boolean> {
		const wake = this.#conductor.nextWake();
		if (wake !== undefined && wake <= this.#now) return this.#tell({ type: "wake" });
		const ending = [...this.#open.values()].filter(({ isPending, given }) => !isPending && given?.status !== "running");
		if (ending.length > 0) return this.#tell(...ending.map((child) => this.#turn(child, child.given?.status ?? "succeeded")));
		if (wake === undefined) return false;
		this.#now = wake;
		return this.#tell({ type: "wake" });
	}

	#turn(child: Child, status: ExecutionStatus): WorkflowEvent {
		child.isPending = status === "pending";
		if (!child.isPending) this.#open.delete(child.key);
		return { type: "child", key: child.key, id: child.id, status };
	}

	async #tell(...events: readonly WorkflowEvent[]): Promise<boolean> {
		const step = await this.#conductor.handle(events, this.#now);
		// What is kept must survive being stored.
		if (step.entry !== undefined) this.entries.push(parseJson(stringifyJson(step.entry)) as JsonObject);
		for (const request of step.start) this.#start(request);
		this.#end = step.end;
		await this.#follow(step);
		return true;
	}

	/** What the workflow asks of others happens at once. */
	async #follow({ cancel, request }: Step): Promise<void> {
		if (request !== undefined) await this.#tell({ type: request });
		const ended = cancel.flatMap((key) => this.#open.get(key) ?? []).map((child) => this.#turn(child, "canceled"));
		if (ended.length > 0) await this.#tell(...ended);
	}

	#start(request: ChildRequest): void {
		const given = this.#findResult(request);
		if (given !== undefined) this.#used.add(given);
		const id = `child${this.#results.size}`;
		this.#results.set(id, given?.result ?? null);
		this.#open.set(request.key, { key: request.key, id, given, isPending: false });
	}

	/** The results that are meant for a child are taken one after the other, then the last one again and again. */
	#findResult({ key, context }: ChildRequest): GivenResult | undefined {
		const { task_name: name, task_route: route, item_id: item } = (context?.["workflow"] ?? {}) as JsonObject;
		const starts = this.#starts.get(`${name}__r${route}`) ?? new Map<string, number>();
		this.#starts.set(`${name}__r${route}`, starts);
		// All items of an attempt have keys that begin alike.
		const start = key.split(".").slice(0, 2).join(".");
		const occurrence = starts.get(start) ?? starts.size + 1;
		starts.set(start, occurrence);
		const fits = (given: number | undefined, value: unknown) => given === undefined || given === value;
		const meant = this.#case.results.filter(
			(each) => each.task === name && fits(each.route, route) && fits(each.occurrence, occurrence) && fits(each.item, item),
		);
		return meant.find((each) => !this.#used.has(each)) ?? meant.at(-1);
	}
}
