import type { ChildRequest } from "../../../core/contract/index.ts";
import type { Step } from "../steps.ts";
import type { RunState } from "./run-state.ts";
import { isRestingStatus } from "./task-run.ts";

/** What is to be done after this step. */
export class StepEffects {
	readonly start: ChildRequest[] = [];
	readonly cancel = new Set<string>();
	cancelsAll = false;
	pausesAll = false;
	resume: readonly string[] = [];
	request: "pause" | "cancel" | undefined;

	/** Takes it out, by the keys of children. */
	takeAll(state: RunState): Pick<Step, "start" | "cancel" | "pause" | "resume" | "request"> {
		// Only then: there may be many.
		const open = this.cancelsAll || this.pausesAll ? [...state.children] : [];
		const active = open.filter(([, { run, item }]) => !isRestingStatus(run.childOf(item)?.status ?? "asked"));
		const taken = {
			start: this.start.splice(0),
			cancel: this.cancelsAll ? open.map(([key]) => key) : [...this.cancel],
			pause: this.pausesAll ? active.map(([key]) => key) : [],
			resume: this.resume,
			request: this.request,
		};
		this.cancel.clear();
		this.cancelsAll = false;
		this.pausesAll = false;
		this.resume = [];
		this.request = undefined;
		return taken;
	}
}
