/** Limits of a definition. Without them, a user who may write definitions could block a node or fill its memory while one is read. */
export const limits = {
	/** Bytes of the source. */
	size: 500_000,
	/** Objects, lists and values, counting each repetition by an alias. */
	values: 200_000,
	/** Characters of all strings, counting each repetition by an alias. */
	characters: 2_000_000,
	/** Nesting depth of objects and lists. */
	depth: 64,
	tasks: 10_000,
	/** Targets of all transitions together. */
	edges: 50_000,
	/** Characters in the name of a task. */
	taskName: 128,
	/** Findings that are returned. */
	findings: 1000,
} as const;
