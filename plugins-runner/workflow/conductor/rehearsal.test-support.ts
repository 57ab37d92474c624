import type { ChildRequest, ExecutionStatus, JsonObject, JsonValue } from "../../../core/contract/index.ts";
import type { Step, WorkflowEvent } from "../conductor-protocol.ts";
import { Conductor } from "./conductor.ts";
import { type TestWorkflow, toDefinition } from "./definition.test-support.ts";
import { TestExpressions } from "./expressions.test-support.ts";

/** What becomes of a child: a status, or status and result. */
export type Outcome = ExecutionStatus | { readonly status?: ExecutionStatus; readonly result: JsonObject };

/** A workflow whose children end as the test says. */
export class Rehearsal {
	readonly expressions = new TestExpressions();
	readonly workflow: TestWorkflow;
	readonly entries: JsonObject[] = [];
	readonly requests = new Map<string, ChildRequest>();
	readonly results = new Map<string, JsonObject>();
	/** Names of the tasks in the order of their start, one for each child. */
	readonly started: string[] = [];
	readonly loads: string[] = [];
	readonly executionId: string;
	conductor: Conductor;
	now = 1_800_000_000_000_000;
	last: Step | undefined;

	constructor(workflow: TestWorkflow, executionId = "run1") {
		this.workflow = workflow;
		this.executionId = executionId;
		this.conductor = new Conductor(toDefinition(workflow), this.tools());
	}

	tools() {
		return {
			expressions: this.expressions,
			executionId: this.executionId,
			workflowExecutionId: "run1",
			result: async (id: string) => {
				this.loads.push(id);
				return structuredClone(this.results.get(id) ?? null);
			},
		};
	}

	async tell(...events: readonly WorkflowEvent[]): Promise<Step> {
		// What is kept must survive being stored.
		const step = await this.conductor.handle(events, this.now);
		if (step.entry !== undefined) this.entries.push(JSON.parse(JSON.stringify(step.entry)));
		for (const request of step.start) {
			this.requests.set(request.key, request);
			this.started.push(nameOf(request));
		}
		this.last = step;
		return step;
	}

	begin(parameters: JsonObject = {}, system: JsonObject = { svc: { user: "ann" } }): Promise<Step> {
		return this.tell({ type: "begin", parameters, system });
	}

	/** Goes on until nothing is left to do now. */
	async settle(): Promise<Step> {
		let step = this.last ?? (await this.tell());
		while ((this.conductor.nextWake() ?? Number.POSITIVE_INFINITY) <= this.now) step = await this.tell({ type: "wake" });
		return step;
	}

	/** The next child of a task that has not ended comes to an end, or to another status. */
	async come(task: string, outcome: Outcome = "succeeded"): Promise<Step> {
		const key = this.open(task)[0];
		if (key === undefined) throw new Error(`no child of ${task} is open`);
		return this.comeTo(key, outcome);
	}

	async comeTo(key: string, outcome: Outcome = "succeeded"): Promise<Step> {
		const status = typeof outcome === "string" ? outcome : (outcome.status ?? "succeeded");
		const id = this.idOf(key);
		this.results.set(id, typeof outcome === "string" ? {} : outcome.result);
		return this.tell({ type: "child", key, id, status });
	}

	idOf(key: string): string {
		return `x${[...this.requests.keys()].indexOf(key)}`;
	}

	/** Keys of children that have not ended. */
	open(task: string): readonly string[] {
		return this.conductor.openChildKeys().filter((key) => {
			const request = this.requests.get(key);
			return request !== undefined && nameOf(request).replace(/__r\d+$/, "") === task;
		});
	}

	/** Another process goes on. */
	async restore(): Promise<void> {
		this.conductor = await Conductor.restore(toDefinition(this.workflow), this.entries, this.tools());
	}

	/** All children end as `outcomes` says, by the name of their task, one behind another; `succeeded` where it says nothing. */
	async run(outcomes: Readonly<Record<string, Outcome | readonly Outcome[]>> = {}, parameters: JsonObject = {}): Promise<Step> {
		let step = await this.begin(parameters);
		const counts = new Map<string, number>();
		for (let turn = 0; step.end === undefined && turn < 2000; turn++) {
			step = await this.settle();
			const [key] = this.conductor.openChildKeys();
			if (step.end !== undefined) break;
			if (key === undefined) {
				this.now = this.conductor.nextWake() ?? this.now;
				step = await this.tell({ type: "wake" });
				continue;
			}
			const name = nameOf(this.requests.get(key)).replace(/__r\d+$/, "");
			const all = outcomes[name] ?? "succeeded";
			const list = (Array.isArray(all) ? all : [all]) as readonly Outcome[];
			const count = counts.get(name) ?? 0;
			counts.set(name, count + 1);
			step = await this.comeTo(key, list[Math.min(count, list.length - 1)] ?? "succeeded");
		}
		return step;
	}

	errors(): readonly JsonValue[] {
		return (this.last?.end?.result.errors ?? []).map(({ message, task_id }) => `${task_id ?? "-"}: ${String(message).split(" [")[0]}`);
	}
}

function nameOf(request: ChildRequest | undefined): string {
	const workflow = (request?.context?.["workflow"] ?? {}) as JsonObject;
	return `${workflow["task_name"]}${workflow["task_route"] === 0 ? "" : `__r${workflow["task_route"]}`}`;
}
