/** Colours of the states of executions and other records. States that are not listed are neutral. */
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

/** Final states of an execution. */
const final: ReadonlySet<string> = new Set(["succeeded", "failed", "timeout", "canceled", "abandoned"]);

/** Returns true if an execution with this status has ended. */
export function isEnded(status: string): boolean {
	return final.has(status);
}

/** Returns true if an execution with this status has failed. */
export function isFailure(status: string): boolean {
	return tones[status] === "bad";
}

/** Returns the class name of a state's colour. */
export function toTone(status: string): string {
	return tones[status] ?? "plain";
}

/** Shows a state by its name and its colour. */
export function StatusBadge({ status }: { readonly status: string }) {
	return (
		<span class={`badge ${toTone(status)}`}>
			<span class="dot" aria-hidden="true" />
			{status}
		</span>
	);
}
