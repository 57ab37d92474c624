/** Colours of states, of executions and of others: what is not named here is neutral. */
const tones: Readonly<Record<string, string>> = {
	succeeded: "good",
	processed: "good",
	enabled: "good",
	installed: "good",
	ready: "good",
	failed: "bad",
	timeout: "bad",
	abandoned: "bad",
	processing_failed: "bad",
	unreachable: "bad",
	gone: "bad",
	broken: "bad",
	running: "busy",
	installing: "busy",
	resuming: "busy",
	retrying: "busy",
	canceling: "warn",
	draining: "warn",
	drained: "warn",
	pausing: "warn",
	paused: "warn",
	pending: "warn",
	canceled: "warn",
};

/** States after which nothing changes. */
const final: ReadonlySet<string> = new Set(["succeeded", "failed", "timeout", "canceled", "abandoned"]);

/** Whether an execution has ended. */
export function isEnded(status: string): boolean {
	return final.has(status);
}

/** Whether an execution has ended badly. */
export function isFailure(status: string): boolean {
	return tones[status] === "bad";
}

/** The colour of a state, by the name of a class. */
export function toTone(status: string): string {
	return tones[status] ?? "plain";
}

/** A state, told by its word; the colour says it again. */
export function StatusBadge({ status }: { readonly status: string }) {
	return (
		<span class={`badge ${toTone(status)}`}>
			<span class="dot" aria-hidden="true" />
			{status}
		</span>
	);
}
