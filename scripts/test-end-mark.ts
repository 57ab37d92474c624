/** What a process that runs several test files says at the end of each. */
export interface EndOfFile {
	/** The exit code that a process of its own would have had. */
	readonly code: number;
	/** Of the processor's time, with that of the children that have ended meanwhile. */
	readonly processorSeconds: number;
	/** Bytes of memory that the process takes. */
	readonly memory: number;
}

// Nothing that tests print holds this character.
const pattern = /\0([^\0]*)\0$/;

/** Is written to the same output as what the tests print, so that all of that comes before it. */
export function toEndMark(end: EndOfFile): string {
	return `\0${JSON.stringify(end)}\0`;
}

/** What the mark at the end of an output says; undefined as long as there is none. */
export function readEndMark(output: string): EndOfFile | undefined {
	const text = pattern.exec(output)?.[1];
	return text === undefined ? undefined : (JSON.parse(text) as EndOfFile);
}

export function withoutEndMark(output: string): string {
	return output.replace(pattern, "");
}
