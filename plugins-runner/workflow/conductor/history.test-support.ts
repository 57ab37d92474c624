import * as assert from "node:assert/strict";
import type { ChildRequest, ExecutionStatus, JsonObject } from "../../../core/contract/index.ts";
import type { Step, WorkflowEvent } from "../conductor-protocol.ts";
import type { Definition } from "../definition/definition.ts";
import { Conductor } from "./conductor.ts";
import { type TestTask, type TestTransition, type TestWorkflow, toDefinition } from "./definition.test-support.ts";
import { TestExpressions } from "./expressions.test-support.ts";
import { readProgress } from "./progress.ts";

/** Numbers of a seed, one behind another. */
export class Chance {
	#state: number;

	constructor(seed: number) {
		this.#state = seed >>> 0;
	}

	/** Below 1. */
	next(): number {
		this.#state = (this.#state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	}

	is(share: number): boolean {
		return this.next() < share;
	}

	below(most: number): number {
		return Math.floor(this.next() * most);
	}

	of<T>(values: readonly T[]): T {
		return values[this.below(values.length)] as T;
	}
}

const criteria = [undefined, "<% succeeded() %>", "<% succeeded() %>", "<% failed() %>", "<% completed() %>", "<% len(result()) = 0 %>"];

/** A definition at random: what leads on is mostly behind, and a way back is taken at most twice. */
export function randomWorkflow(chance: Chance): TestWorkflow {
	const names = Array.from({ length: 2 + chance.below(6) }, (_, at) => `t${at}`);
	const tasks: Record<string, TestTask> = {};
	for (const [at, name] of names.entries()) {
		const next: TestTransition[] = Array.from({ length: chance.below(3) }, () => randomTransition(chance, names, at));
		if (at > 0 && chance.is(0.1)) {
			const back = names[1 + chance.below(at)] ?? "t1";
			next.push({ when: "<% ctx(laps) < 2 %>", publish: [["laps", "<% ctx(laps) + 1 %>"]], do: [back] });
		}
		const join = at > 1 && chance.is(0.3) ? { join: chance.is(0.6) ? ("all" as const) : 1 + chance.below(3) } : {};
		tasks[name] = { ...randomTask(chance), ...join, next };
	}
	return {
		vars: [
			["laps", 0],
			["o", { start: true }],
			["list", ["a", "b", "c", "d", "e"].slice(0, chance.below(6))],
		],
		tasks,
		output: [
			["laps", "<% ctx(laps) %>"],
			["o", "<% ctx(o) %>"],
			["last", "<% ctx(last) %>"],
			["t1", "<% task_status(t1) %>"],
		],
		...(chance.is(0.2) && { timeout: 3 + chance.below(20) }),
	};
}

function randomTransition(chance: Chance, names: readonly string[], at: number): TestTransition {
	const behind = names.slice(at + 1);
	const targets = Array.from({ length: 1 + chance.below(2) }, () =>
		behind.length > 0 && chance.is(0.9) ? chance.of(behind) : chance.of(["noop", "continue", "fail"]),
	);
	const when = chance.of(criteria);
	return {
		...(when !== undefined && { when }),
		do: [...new Set(targets)],
		...(chance.is(0.5) && {
			publish: [
				["last", "<% result() %>"],
				["o", { [`by${at}`]: `<% task_status(${names[at]}) %>` }],
			] as const,
		}),
	};
}

function randomTask(chance: Chance): TestTask {
	return {
		...(chance.is(0.2) && { action: null }),
		...(chance.is(0.3) && { items: "<% ctx(list) %>", action: "core.noop", input: { item: "<% item() %>" } }),
		...(chance.is(0.5) && { concurrency: 1 + chance.below(3) }),
		...(chance.is(0.5) && { continues: true }),
		...(chance.is(0.2) && { delay: chance.below(3) }),
		...(chance.is(0.2) && { timeout: 1 + chance.below(6) }),
		...(chance.is(0.2) && {
			retry: { count: chance.below(3), delay: chance.below(2), ...(chance.is(0.3) && { when: "<% completed() %>" }) },
		}),
		...(chance.is(0.05) && { input: { x: "<% ctx(nothing) %>" } }),
	};
}

interface ModelChild {
	readonly id: string;
	status: ExecutionStatus;
	isCanceled: boolean;
}

export interface HistoryOptions {
	/** Another process goes on behind each step. */
	readonly restores: boolean;
	/** What is stored of an entry. */
	readonly store?: (entry: JsonObject) => JsonObject;
}

const ends: readonly ExecutionStatus[] = ["succeeded", "succeeded", "succeeded", "failed", "timeout", "abandoned"];

/** One run against what happens at random; everything that must hold of every run is asserted behind each step. */
export class History {
	readonly #chance: Chance;
	readonly #definition: Definition;
	readonly #expressions = new TestExpressions();
	readonly #options: HistoryOptions;
	readonly #entries: JsonObject[] = [];
	readonly #requests = new Map<string, ChildRequest>();
	readonly #children = new Map<string, ModelChild>();
	readonly #told: Extract<WorkflowEvent, { readonly type: "child" }>[] = [];
	readonly #transcript: unknown[] = [];
	#conductor: Conductor;
	#now = 1_800_000_000_000_000;
	#isCanceled = false;
	#end: Step["end"];

	constructor(seed: number, options: HistoryOptions) {
		this.#chance = new Chance(seed);
		this.#options = options;
		this.#definition = toDefinition(randomWorkflow(this.#chance));
		this.#conductor = new Conductor(this.#definition, this.#tools());
	}

	/** What has been seen of the run, step by step. */
	async perform(): Promise<readonly unknown[]> {
		await this.#tell({ type: "begin", parameters: {}, system: { svc: {} } });
		for (let turn = 0; turn < 600; turn++) {
			if (this.#end !== undefined && !isPause(this.#end)) return this.#finish();
			await this.#tell(...this.#happen());
		}
		throw new Error("the run does not come to an end");
	}

	#tools() {
		return {
			expressions: this.#expressions,
			executionId: "e",
			workflowExecutionId: "e",
			result: async (id: string) => ({ from: id, text: "x".repeat(id.length % 2 === 0 ? 2 : 600) }),
		};
	}

	#happen(): WorkflowEvent[] {
		const chance = this.#chance;
		if (this.#end !== undefined && isPause(this.#end)) {
			if (chance.is(0.1)) return this.#cancel();
			const answers = this.#resting()
				.filter(() => chance.is(0.7))
				.map((key) => this.#change(key, chance.of(ends)));
			return [...answers, { type: "continue", isResumed: true, isAsked: this.#end.status === "paused" && chance.is(0.5) }];
		}
		if (chance.is(0.02)) return this.#cancel();
		if (chance.is(0.01)) return [{ type: "timeout" }];
		if (chance.is(0.04)) return [{ type: "pause" }];
		if (chance.is(0.04)) return [{ type: "continue", isResumed: chance.is(0.5) }];
		if (chance.is(0.15)) this.#now += 1e6 * chance.below(6);
		const events = Array.from({ length: 1 + chance.below(3) }, () => this.#childEvent()).filter((event) => event !== undefined);
		const wake = this.#conductor.nextWake();
		if (events.length > 0) return events;
		if (wake !== undefined) this.#now = Math.max(this.#now, wake);
		return [{ type: "wake" }];
	}

	#cancel(): WorkflowEvent[] {
		this.#isCanceled = true;
		return [{ type: "cancel" }];
	}

	/** Something new of a child, or something old of any. */
	#childEvent(): WorkflowEvent | undefined {
		const chance = this.#chance;
		if (this.#told.length > 0 && chance.is(0.2)) return this.#tellAgain();
		const open = [...this.#children].filter(([, { status }]) => !isOver(status)).map(([key]) => key);
		if (open.length === 0) return undefined;
		const key = chance.of(open);
		const child = this.#children.get(key);
		if (child?.isCanceled && chance.is(0.7)) return this.#change(key, "canceled");
		if (chance.is(0.03)) {
			if (child !== undefined) child.status = "failed";
			return { type: "refused", key, message: "it is forbidden" };
		}
		return this.#change(
			key,
			chance.is(0.3)
				? chance.of(["requested", "scheduled", "running", "pending", "pausing", "paused"] as const)
				: chance.is(0.02)
					? "canceled"
					: chance.of(ends),
		);
	}

	/** What is so still, or what was so of one that has ended. */
	#tellAgain(): WorkflowEvent {
		const event = this.#chance.of(this.#told);
		return isOver(this.#children.get(event.key)?.status ?? "") ? event : this.#change(event.key, undefined);
	}

	#change(key: string, status: ExecutionStatus | undefined): Extract<WorkflowEvent, { readonly type: "child" }> {
		const child = this.#children.get(key);
		assert.ok(child);
		if (status !== undefined) child.status = status;
		const event = { type: "child", key, id: child.id, status: child.status } as const;
		this.#told.push(event);
		return event;
	}

	#resting(): readonly string[] {
		return [...this.#children].filter(([, { status }]) => status === "pending" || status === "paused").map(([key]) => key);
	}

	async #tell(...events: readonly WorkflowEvent[]): Promise<void> {
		const step = await this.#conductor.handle(events, this.#now);
		if (step.entry !== undefined) this.#entries.push((this.#options.store ?? same)(JSON.parse(JSON.stringify(step.entry))));
		this.#carryOut(step);
		this.#end = step.end;
		this.#transcript.push({ start: step.start, end: step.end, tasks: step.tasks, cancel: step.cancel, request: step.request });
		this.#assertGoesOn(step);
		await this.#assertRestored();
	}

	#carryOut({ start, cancel, resume }: Step): void {
		for (const key of resume) {
			const child = this.#children.get(key);
			if (child?.status === "paused") child.status = "running";
		}
		if (this.#isCanceled) assert.deepEqual(start, [], "something starts behind a cancel");
		for (const request of start) {
			assert.ok(!this.#requests.has(request.key), `${request.key} is asked for twice`);
			this.#requests.set(request.key, request);
			this.#children.set(request.key, {
				id: `${this.#children.size}`.padStart(4 + (this.#children.size % 2), "x"),
				status: "requested",
				isCanceled: false,
			});
		}
		for (const key of cancel) {
			const child = this.#children.get(key);
			if (child !== undefined) child.isCanceled = true;
		}
		if (!this.#isCanceled) return;
		const left = this.#conductor.openChildKeys().filter((key) => this.#children.get(key)?.isCanceled !== true);
		assert.deepEqual(left, [], "something is left behind a cancel");
	}

	/** Never stuck: something is active, a time is waited for, or it is over. */
	#assertGoesOn({ end }: Step): void {
		const unsettled = this.#conductor.openChildKeys();
		const isActive = (key: string) => {
			const child = this.#children.get(key);
			return child !== undefined && (child.isCanceled || !["pending", "paused"].includes(child.status));
		};
		if (end !== undefined) {
			assert.ok(isPause(end) || unsettled.length === 0, "it ends with children on their way");
			assert.ok(!isPause(end) || !this.#isCanceled, "it pauses behind a cancel");
			return;
		}
		assert.ok(unsettled.some(isActive) || this.#conductor.nextWake() !== undefined, "it is stuck");
		for (const key of unsettled) assert.ok(!isOver(this.#children.get(key)?.status ?? "running"), `the end of ${key} is lost`);
	}

	/** What the journal says is what is. */
	async #assertRestored(): Promise<void> {
		if (this.#entries.length === 0) return;
		const restored = await Conductor.restore(this.#definition, this.#entries, this.#tools());
		const progress = this.#conductor.progress();
		assert.deepEqual(restored.progress(), progress, "the journal tells something else");
		assert.deepEqual(await readProgress(this.#entries), progress);
		assert.deepEqual(restored.openChildKeys(), this.#conductor.openChildKeys());
		if (this.#options.restores) this.#conductor = restored;
	}

	async #finish(): Promise<readonly unknown[]> {
		const end = this.#end;
		if (this.#isCanceled) assert.equal(end?.status, "canceled");
		for (const { status, items, next } of this.#conductor.progress().tasks) {
			assert.ok(isOver(status), `a task is ${status} at the end`);
			if (items !== null && status === "succeeded") assert.equal(items.succeeded, items.total, "items are left out");
			const isRemedied = status === "succeeded" || next.some(({ to }) => to !== "continue");
			if (end?.status === "succeeded") assert.ok(isRemedied, "a failure is forgotten");
		}
		for (const key of this.#children.keys()) {
			const step = await this.#conductor.handle(
				[this.#change(key, undefined), { type: "pause" }, { type: "cancel" }, { type: "wake" }],
				this.#now + 1e9,
			);
			assert.deepEqual([step.entry, step.start, step.end], [undefined, [], end], "something changes what is over");
		}
		return this.#transcript;
	}
}

function same(entry: JsonObject): JsonObject {
	return entry;
}

function isOver(status: string): boolean {
	return ["succeeded", "failed", "timeout", "abandoned", "canceled"].includes(status);
}

/** Whether it goes on, now or later. */
function isPause({ status }: NonNullable<Step["end"]>): boolean {
	return status === "paused" || status === "resuming";
}
