import type { WorkflowEvent } from "../steps.ts";
import type { ConductorRun } from "./conductor-run.ts";
import type { StepEffects } from "./step-effects.ts";
import { isEndStatus, isRestingStatus } from "./task-run.ts";

/** Takes in what has happened, and decides what needs no expression. */
export class EventIntake {
	readonly #run: ConductorRun;
	readonly #orders: StepEffects;
	/** Children that were asked to go on, and told to be paused behind that. */
	readonly #askedAgain = new Set<string>();

	constructor(run: ConductorRun, orders: StepEffects) {
		this.#run = run;
		this.#orders = orders;
	}

	/** Every one but `begin`. */
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
		const open = state.children.get(key);
		const child = open?.run.childOf(open.item);
		if (open === undefined || child === undefined || child.status === status) return;
		// What it is on its way with makes no difference, but for a delay that is over.
		const isQuiet = !isEndStatus(status) && !isRestingStatus(status) && !isRestingStatus(child.status);
		if (status === "paused" && child.status === "resuming" && !this.#askedAgain.has(key)) {
			// Perhaps it was told before it was asked to go on. Once more, so that it does not wait for ever when it was not.
			this.#askedAgain.add(key);
			this.#orders.resume = [...this.#orders.resume, key];
			return;
		}
		if (isQuiet && !(open.run.status === "delayed" && status !== "delayed" && status !== "requested")) return;
		const item = open.item === undefined ? {} : { item: open.item };
		this.#run.record({ fact: "child", task: open.run.number, ...item, id, status });
		if (status !== "pending" || state.isEnding || state.status === "failed") return;
		if (state.status === "running") this.#run.record({ fact: "status", status: "pausing" });
		this.#orders.request ??= "pause";
	}

	#takeRefusal({ key, message }: Extract<WorkflowEvent, { readonly type: "refused" }>): void {
		const open = this.#run.state.children.get(key);
		if (open === undefined) return;
		const item = open.item === undefined ? {} : { item: open.item };
		this.#run.record({ fact: "refused", task: open.run.number, ...item, message });
	}

	#takePause(): void {
		const { state } = this.#run;
		if (state.status === "running") this.#run.record({ fact: "status", status: "pausing", isAsked: true });
		this.#orders.pausesAll = state.status === "pausing";
	}

	#takeContinue({ isResumed, isAsked = true }: Extract<WorkflowEvent, { readonly type: "continue" }>): void {
		const { state } = this.#run;
		this.#askedAgain.clear();
		if (isResumed && state.status === "pausing") {
			const paused = [...state.children].filter(([, { run, item }]) => run.childOf(item)?.status === "paused").map(([key]) => key);
			this.#orders.resume = isAsked ? paused : [];
			this.#run.record({ fact: "resume", children: isAsked });
			this.#orders.request = undefined;
		}
		// Whoever decided it before may not have come to do it.
		this.#orders.cancelsAll = state.isEnding;
		this.#orders.pausesAll = state.status === "pausing";
		for (const task of state.openTasks) if (task.hasExpired) this.#cancelTask(task.number);
	}

	#stop(status: "canceling" | "timeout"): void {
		const { state } = this.#run;
		if (state.status !== "canceling" && state.status !== status) {
			if (status === "timeout") this.#run.recordError({ message: "TimeoutError: The time of the workflow is over." });
			this.#run.record({ fact: "status", status });
		}
		this.#orders.cancelsAll = true;
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
		for (const [key, { run }] of this.#run.state.children) if (run.number === number) this.#orders.cancel.add(key);
	}
}
