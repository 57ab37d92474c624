import type { ExecutionStatus, TaskState, TaskStatus } from "../../../core/contract/index.ts";
import type { ItemsFacts } from "./facts.ts";
import type { JournalValue } from "./journal-values.ts";
import type { Variables } from "./variables.ts";

/** A child, as far as it is known. `asked`: nothing has been told of it yet. */
export interface ChildRun {
	id: string | null;
	status: ExecutionStatus | "asked";
	/** Why it could not be started. */
	message?: string;
}

export interface ItemsRun {
	readonly list: JournalValue;
	readonly total: number;
	readonly concurrency: number;
	readonly continues: boolean;
	/** By position; undefined: not asked for. */
	readonly children: (ChildRun | undefined)[];
	/** The first that may not have been asked for. */
	next: number;
	active: number;
	/** Waiting for an answer, or paused. */
	resting: number;
	succeeded: number;
	failed: number;
	canceled: number;
}

/** What leads to a task, ready to be started. */
export interface StagedTask {
	readonly number: number;
	readonly name: string;
	readonly route: number;
	variables: Variables;
	/** Tasks that have led to it. */
	readonly sources: number[];
	/** It runs though the workflow has failed by the same completion. */
	readonly runsOnFail: boolean;
	isBlocked: boolean;
	/** Another attempt of this task. */
	readonly retries?: TaskRun;
	/** A task of an earlier run whose items that have succeeded are kept, or whose child is taken up. */
	readonly keeps?: EarlierTask;
}

export interface EarlierTask {
	readonly task: TaskRun;
	readonly reset: boolean;
	readonly inner: readonly string[];
	readonly innerReset: readonly string[];
}

export interface TaskRunStart {
	readonly number: number;
	readonly id: string;
	readonly staged: StagedTask;
	readonly action: string | null;
	/** Microseconds. */
	readonly at: number;
	readonly order: number;
	readonly retry: { readonly count: number; readonly delay: number } | null;
	readonly items: ItemsFacts | null;
}

/** A task that has been started, through all its attempts. Only facts change it. */
export class TaskRun {
	readonly number: number;
	readonly id: string;
	readonly name: string;
	readonly route: number;
	readonly variables: Variables;
	readonly sources: readonly number[];
	readonly action: string | null;
	readonly startedAt: number;
	/** Its place among all that has begun. */
	readonly order: number;
	readonly retry: { readonly count: number; readonly delay: number } | null;
	readonly keeps: EarlierTask | undefined;
	status: TaskStatus = "running";
	endedAt: number | null = null;
	attempt = 1;
	child: ChildRun | null = null;
	items: ItemsRun | null = null;
	/** When its time is over, in microseconds. */
	deadline: number | null = null;
	/** Milliseconds before the children of this attempt begin. */
	delay = 0;
	/** A task without action: whether it is over when it is. */
	due: number | null = null;
	hasExpired = false;
	/** A further item could not be rendered. */
	isBroken = false;
	/** It runs again, or what led to it does. */
	isSuperseded = false;
	next: readonly { readonly to: string; readonly transition: number }[] = [];
	readonly executionIds: string[] = [];

	constructor({ number, id, staged, action, at, order, retry, items }: TaskRunStart) {
		this.number = number;
		this.id = id;
		this.name = staged.name;
		this.route = staged.route;
		this.variables = staged.variables;
		this.sources = staged.sources;
		this.keeps = staged.keeps;
		this.action = action;
		this.startedAt = at;
		this.order = order;
		this.retry = retry;
		if (items !== null) this.items = toItemsRun(items);
	}

	get hasEnded(): boolean {
		return this.endedAt !== null;
	}

	/** Whether everything that it was to start has ended, and it is over. */
	get isSettled(): boolean {
		if (this.hasEnded || this.status === "retrying") return false;
		if (this.items !== null) return this.items.active + this.items.resting === 0 && !this.wantsItems;
		if (this.child !== null) return hasChildEnded(this.child);
		return this.due === null || this.hasExpired;
	}

	/** Whether there are items that it would start. */
	get wantsItems(): boolean {
		if (this.items === null || this.hasEnded || this.hasExpired || this.isBroken || this.items.canceled > 0) return false;
		if (this.items.failed > 0 && !this.items.continues) return false;
		return this.items.next < this.items.total;
	}

	/** The key of a child, which names task, attempt and item. */
	keyOf(item: number | undefined): string {
		return item === undefined ? `${this.id}.${this.attempt}` : `${this.id}.${this.attempt}.${item}`;
	}

	childOf(item: number | undefined): ChildRun | undefined {
		return item === undefined ? (this.child ?? undefined) : this.items?.children[item];
	}

	toState(): TaskState {
		const { items } = this;
		return {
			id: this.id,
			name: this.name,
			route: this.route,
			status: this.status,
			action: this.action,
			attempts: this.attempt,
			start_timestamp: toTimestamp(this.startedAt),
			end_timestamp: this.endedAt === null ? null : toTimestamp(this.endedAt),
			execution_ids: [...this.executionIds],
			items: items === null ? null : { total: items.total, succeeded: items.succeeded, failed: items.failed, active: items.active },
			next: this.next,
		};
	}
}

/** A list as it is before an attempt; what is kept of an earlier one has succeeded already. */
export function toItemsRun({
	list,
	total,
	concurrency,
	continues,
}: Omit<ItemsFacts, "concurrency"> & { concurrency: number | null }): ItemsRun {
	const children = new Array<ChildRun | undefined>(total).fill(undefined);
	return {
		list,
		total,
		continues,
		children,
		concurrency: concurrency ?? total,
		next: 0,
		active: 0,
		resting: 0,
		succeeded: 0,
		failed: 0,
		canceled: 0,
	};
}

export function hasChildEnded({ status }: ChildRun): boolean {
	return isEndStatus(status);
}

export function isEndStatus(status: string): boolean {
	return ["succeeded", "failed", "timeout", "abandoned", "canceled"].includes(status);
}

/** Whether a child waits for somebody. */
export function isRestingStatus(status: string): boolean {
	return status === "pending" || status === "paused";
}

/** Microseconds as ISO 8601. */
export function toTimestamp(microseconds: number): string {
	const milliseconds = Math.floor(microseconds / 1000);
	const rest = String(Math.round(microseconds - milliseconds * 1000)).padStart(3, "0");
	return new Date(milliseconds).toISOString().replace("Z", `${rest}Z`);
}
