import type { ChildRequest } from "../../../core/contract/index.ts";
import type { Step } from "../conductor-protocol.ts";
import type { RunState } from "./run-state.ts";
import { isRestingStatus } from "./task-run.ts";

/** Effects of the current step, to be carried out by the caller. */
export class StepEffects {
	readonly start: ChildRequest[] = [];
	readonly cancel = new Set<string>();
	cancelsAll = false;
	pausesAll = false;
	resume: readonly string[] = [];
	request: "pause" | "cancel" | undefined;

	/** Returns the collected effects, which name children by their keys, and clears them. */
	takeAll(state: RunState): Pick<Step, "start" | "cancel" | "pause" | "resume" | "request"> {
		// Copied only if needed, because there may be many children.
		const openChildren = this.cancelsAll || this.pausesAll ? [...state.children] : [];
		const active = openChildren.filter(([, { run, item }]) => !isRestingStatus(run.childOf(item)?.status ?? "asked"));
		const effects = {
			start: this.start.splice(0),
			cancel: this.cancelsAll ? openChildren.map(([key]) => key) : [...this.cancel],
			pause: this.pausesAll ? active.map(([key]) => key) : [],
			resume: this.resume,
			request: this.request,
		};
		this.cancel.clear();
		this.cancelsAll = false;
		this.pausesAll = false;
		this.resume = [];
		this.request = undefined;
		return effects;
	}
}
