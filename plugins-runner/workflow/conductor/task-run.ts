import type { ExecutionStatus, TaskState, TaskStatus } from "../../../core/contract/index.ts";
import type { ItemsFacts } from "./facts.ts";
import type { JournalValue } from "./journal-values.ts";
import type { Variables } from "./variables.ts";

/** Child of a task. `asked`: requested, but no status was reported yet. */
export interface ChildRun {
	id: string | null;
	status: ExecutionStatus | "asked";
	/** Reason why the child could not be started. */
	message?: string;
}

export interface ItemsRun {
	readonly list: JournalValue;
	readonly total: number;
	readonly concurrency: number;
	readonly continues: boolean;
	/** Children by item index; undefined if the item was not requested. */
	readonly children: (ChildRun | undefined)[];
	/** Index of the first item that may not have been requested. */
	next: number;
	active: number;
	/** Children that wait for an answer or are paused. */
	resting: number;
	succeeded: number;
	failed: number;
	canceled: number;
}

/** Task that is ready to start, for the first time or again. */
export interface StagedTask {
	readonly number: number;
	readonly name: string;
	readonly route: number;
	variables: Variables;
	/** Numbers of the tasks that led to it. */
	readonly sources: number[];
	/** True if the task starts even if the workflow has failed, because it was staged together with the command `fail`. */
	readonly runsOnFail: boolean;
	isBlocked: boolean;
	/** Task of which this is the next attempt. */
	readonly retries?: TaskRun;
	/** Task of an earlier execution that runs again: its succeeded items are kept, or tasks of its child run again. */
	readonly keeps?: EarlierTask;
}

/** Task of an earlier execution that runs again in part. The members are those of the fact that started the re-run. */
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
	/** Time of the start in microseconds. */
	readonly at: number;
	readonly order: number;
	readonly retry: { readonly count: number; readonly delay: number } | null;
	readonly items: ItemsFacts | null;
}

/** Started task, through all its attempts. Only facts change it. */
export class TaskRun {
	readonly number: number;
	readonly id: string;
	readonly name: string;
	readonly route: number;
	readonly variables: Variables;
	readonly sources: readonly number[];
	readonly action: string | null;
	readonly startedAt: number;
	/** Position in the order of all task starts and branch ends. */
	readonly order: number;
	readonly retry: { readonly count: number; readonly delay: number } | null;
	readonly keeps: EarlierTask | undefined;
	status: TaskStatus = "running";
	endedAt: number | null = null;
	attempt = 1;
	child: ChildRun | null = null;
	items: ItemsRun | null = null;
	/** Time at which the attempt times out, in microseconds. */
	deadline: number | null = null;
	/** Milliseconds by which the children of this attempt are delayed. */
	delay = 0;
	/** Time at which the delay of a task without an action is over; null if it is over or there is none. */
	due: number | null = null;
	hasExpired = false;
	/** True if a further item could not be rendered. */
	isBroken = false;
	/** True if the task, or one that led to it, runs again in a partial re-run, so that this run no longer counts. */
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

	/**
	 * True if the current attempt starts nothing more, and its child, its items or its delay have ended, so that the task can be completed.
	 */
	get isSettled(): boolean {
		if (this.hasEnded || this.status === "retrying") return false;
		if (this.items !== null) return this.items.active + this.items.resting === 0 && !this.wantsItems;
		if (this.child !== null) return hasChildEnded(this.child);
		return this.due === null || this.hasExpired;
	}

	/** True if the task may start further items. */
	get wantsItems(): boolean {
		if (this.items === null || this.hasEnded || this.hasExpired || this.isBroken || this.items.canceled > 0) return false;
		if (this.items.failed > 0 && !this.items.continues) return false;
		return this.items.next < this.items.total;
	}

	/** Returns the key of a child: task id, attempt and item index. */
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

/** Returns the items of a task before an attempt: none is requested yet. */
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

/** Returns true if a child waits for an answer or is paused. */
export function isRestingStatus(status: string): boolean {
	return status === "pending" || status === "paused";
}

/** Formats microseconds since 1970 as ISO 8601. */
export function toTimestamp(microseconds: number): string {
	const milliseconds = Math.floor(microseconds / 1000);
	const rest = String(Math.round(microseconds - milliseconds * 1000)).padStart(3, "0");
	return new Date(milliseconds).toISOString().replace("Z", `${rest}Z`);
}
