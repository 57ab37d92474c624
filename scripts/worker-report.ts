/** What a process that runs several test files reports after each of them. */
export interface WorkerReport {
	/** The exit code that a process of its own would have had. */
	readonly code: number;
	/** Of the processor's time, with that of the children that have ended meanwhile. */
	readonly processorSeconds: number;
	/** Bytes of memory that the process takes. */
	readonly memory: number;
}

// Nothing that tests print holds this character.
const pattern = /\0([^\0]*)\0$/;

/** The process writes it to the output of the tests, so that it arrives after everything that they have printed. */
export function toReportText(end: WorkerReport): string {
	return `\0${JSON.stringify(end)}\0`;
}

/** The report at the end of an output; undefined while the file still runs. */
export function readReport(output: string): WorkerReport | undefined {
	const text = pattern.exec(output)?.[1];
	return text === undefined ? undefined : (JSON.parse(text) as WorkerReport);
}

export function withoutReport(output: string): string {
	return output.replace(pattern, "");
}
