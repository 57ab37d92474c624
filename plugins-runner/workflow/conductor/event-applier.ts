import type { WorkflowEvent } from "../conductor-protocol.ts";
import type { ConductorRun } from "./conductor-run.ts";
import type { StepEffects } from "./step-effects.ts";
import { isEndStatus, isRestingStatus } from "./task-run.ts";

/** Applies events, and decides everything that needs no evaluation of expressions. */
export class EventApplier {
	readonly #run: ConductorRun;
	readonly #effects: StepEffects;
	/** Children that were resumed a second time, because they were reported as paused after the first. */
	readonly #resumedAgain = new Set<string>();

	constructor(run: ConductorRun, orders: StepEffects) {
		this.#run = run;
		this.#effects = orders;
	}

	/** Applies an event of any type but `begin`. */
	handle(event: WorkflowEvent): void {
		const { state } = this.#run;
		if (state.finished !== undefined) return;
		if (event.type === "child") this.#takeChild(event);
		else if (event.type === "refused") this.#takeRefusal(event);
		else if (event.type === "pause") this.#takePause();
		else if (event.type === "continue") this.#takeContinue(event);
		else if (event.type === "cancel") this.#stop("canceling");
		else if (event.type === "timeout") this.#stop("timeout");
		this.#takeWakes();
	}

	#takeChild({ key, id, status }: Extract<WorkflowEvent, { readonly type: "child" }>): void {
		const { state } = this.#run;
		const openChild = state.children.get(key);
		const child = openChild?.run.childOf(openChild.item);
		if (openChild === undefined || child === undefined || child.status === status) return;
		// A change between two active statuses is not recorded, unless a delay is over.
		const isStillActive = !isEndStatus(status) && !isRestingStatus(status) && !isRestingStatus(child.status);
		if (status === "paused" && child.status === "resuming" && !this.#resumedAgain.has(key)) {
			// The report may be older than the resume. Resume once more, so that the child does not wait forever if it is newer.
			this.#resumedAgain.add(key);
			this.#effects.resume = [...this.#effects.resume, key];
			return;
		}
		if (isStillActive && !(openChild.run.status === "delayed" && status !== "delayed" && status !== "requested")) return;
		const item = openChild.item === undefined ? {} : { item: openChild.item };
		this.#run.record({ fact: "child", task: openChild.run.number, ...item, id, status });
		if (status !== "pending" || state.isEnding || state.status === "failed") return;
		if (state.status === "running") this.#run.record({ fact: "status", status: "pausing" });
		this.#effects.request ??= "pause";
	}

	#takeRefusal({ key, message }: Extract<WorkflowEvent, { readonly type: "refused" }>): void {
		const openChild = this.#run.state.children.get(key);
		if (openChild === undefined) return;
		const item = openChild.item === undefined ? {} : { item: openChild.item };
		this.#run.record({ fact: "refused", task: openChild.run.number, ...item, message });
	}

	#takePause(): void {
		const { state } = this.#run;
		if (state.status === "running") this.#run.record({ fact: "status", status: "pausing", isAsked: true });
		this.#effects.pausesAll = state.status === "pausing";
	}

	#takeContinue({ isResumed, isAsked = true }: Extract<WorkflowEvent, { readonly type: "continue" }>): void {
		const { state } = this.#run;
		this.#resumedAgain.clear();
		if (isResumed && state.status === "pausing") {
			const paused = [...state.children].filter(([, { run, item }]) => run.childOf(item)?.status === "paused").map(([key]) => key);
			this.#effects.resume = isAsked ? paused : [];
			this.#run.record({ fact: "resume", children: isAsked });
			this.#effects.request = undefined;
		}
		// The process that decided to cancel or pause may have stopped before it did so.
		this.#effects.cancelsAll = state.isEnding;
		this.#effects.pausesAll = state.status === "pausing";
		for (const task of state.openTasks) if (task.hasExpired) this.#cancelTask(task.number);
	}

	#stop(status: "canceling" | "timeout"): void {
		const { state } = this.#run;
		if (state.status !== "canceling" && state.status !== status) {
			if (status === "timeout") this.#run.recordError({ message: "TimeoutError: The workflow exceeded its timeout." });
			this.#run.record({ fact: "status", status });
		}
		this.#effects.cancelsAll = true;
	}

	#takeWakes(): void {
		const { state, now } = this.#run;
		if (state.isEnding || state.status === "new") return;
		if (state.deadline !== null && state.deadline <= now) return this.#stop("timeout");
		for (const task of state.wakes.takeDue(now)) {
			if (task.hasEnded || task.hasExpired) continue;
			if (task.deadline !== null && task.deadline <= now) {
				this.#run.record({ fact: "expire", task: task.number });
				this.#cancelTask(task.number);
			} else if (task.due !== null && task.due <= now) this.#run.record({ fact: "due", task: task.number });
		}
	}

	#cancelTask(number: number): void {
		for (const [key, { run }] of this.#run.state.children) if (run.number === number) this.#effects.cancel.add(key);
	}
}
