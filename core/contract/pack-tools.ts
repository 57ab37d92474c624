/** A problem or remark about a file of a pack, for the author of the pack. */
export interface PackFinding {
	/**
	 * - `error`: the service would refuse the file or could not use it.
	 * - `note`: this service does not use the file or attribute, or the author should review it.
	 */
	readonly type: "error" | "note";
	/** Path in the pack, separated by `/`. Empty if the finding concerns the pack as a whole. */
	readonly file: string;
	/** Line number, from 1. Null if it is unknown. */
	readonly line: number | null;
	/** Path of the attribute, such as `parameters.count.type`. Null if the finding concerns no attribute. */
	readonly path: string | null;
	/** Description of the problem and of the allowed values. It does not repeat file and line. */
	readonly message: string;
}

/** Result of one test of a pack. */
export interface PackTestResult {
	/** Kind of the test, such as `workflow`, `rule` or `python`. */
	readonly kind: string;
	/** Path in the pack of the file that contains the test. */
	readonly file: string;
	/** Name of the test. */
	readonly name: string;
	/** Differences from the expected result. The test has passed if the list is empty. */
	readonly problems: readonly string[];
	/** Reason for which the test was skipped. Absent if it was run. */
	readonly skipped?: string;
	/** Duration of the test. */
	readonly milliseconds: number;
}

/** Request to a tool: a pack and its source directory. The tools work without a running service. */
export interface PackToolRequest {
	/** Ref of the pack. */
	readonly pack: string;
	/** Absolute path of the pack's directory. */
	readonly directory: string;
	/** Aborts when the caller no longer waits for the result. The function must then end what it has started, and reject. */
	readonly signal: AbortSignal;
}

/** Selects tests of a pack. */
export interface PackTestRequest extends PackToolRequest {
	/** Substring that the name or the file of a test must contain. Absent: all tests. */
	readonly only?: string | undefined;
}

/** Development tools of a runner for files of packs in its language. The host calls them after `start` of the runner. */
export interface PackTools {
	/** Checks files in the runner's language without running them. Rejects only if the files could not be checked at all. */
	inspect?(pack: PackToolRequest): Promise<readonly PackFinding[]>;
	/** Runs the unit tests of the pack in the runner's language, as far as possible in the environment that its actions have. */
	test?(request: PackTestRequest): Promise<readonly PackTestResult[]>;
}
