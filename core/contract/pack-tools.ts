/** Something about a file of a pack that whoever wrote it should know. */
export interface PackFinding {
	/** `error`: the service would not take it, or could not work with it. `note`: nothing here uses it, or it is worth a look. */
	readonly type: "error" | "note";
	/** Path in the pack, with `/` between its parts; empty: the pack as a whole. */
	readonly file: string;
	/** From 1; null when it cannot be told. */
	readonly line: number | null;
	/** Attribute, such as `parameters.count.type`; null where none is concerned. */
	readonly path: string | null;
	/** What is wrong, and what is allowed; file and line are not repeated in it. */
	readonly message: string;
}

/** What came of one test of a pack. */
export interface PackTestResult {
	/** What brought it, such as `workflow`, `rule` or `python`. */
	readonly kind: string;
	/** Path in the pack of the file that it stands in. */
	readonly file: string;
	readonly name: string;
	/** What differs from what was expected; empty: it passed. */
	readonly problems: readonly string[];
	/** Why it was not run; undefined when it was. */
	readonly skipped?: string;
	readonly milliseconds: number;
}

/** A pack that is worked at where it is written. No service runs there. */
export interface PackAtWork {
	/** Its ref. */
	readonly pack: string;
	/** Absolute. */
	readonly directory: string;
	/** Aborts when nobody waits for the answer any more: end what was started, and reject. */
	readonly signal: AbortSignal;
}

/** Which tests of a pack are wanted. */
export interface PackTestRequest extends PackAtWork {
	/** Part of the name or the file of a test. Absent: all. */
	readonly only?: string | undefined;
}

/** What a runner can say about files of a pack that are written for it, for whoever writes them. Called after `start` of the runner. */
export interface PackTools {
	/** What is wrong with files in the runner's language. Runs nothing of them. Reject only when they could not be looked at at all. */
	inspect?(pack: PackAtWork): Promise<readonly PackFinding[]>;
	/** Run the unit tests that the pack brings in the runner's language, as far as possible in the surroundings that its actions have. */
	test?(request: PackTestRequest): Promise<readonly PackTestResult[]>;
}
