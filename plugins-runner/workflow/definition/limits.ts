/** What a definition may have at most: whoever may write one shall not keep a node busy, or fill its memory, with reading it. */
export const limits = {
	/** Bytes of the text. */
	size: 500_000,
	/** Objects, lists and values, with everything that aliases repeat. */
	values: 200_000,
	/** Characters of all texts, with everything that aliases repeat. */
	characters: 2_000_000,
	/** Objects and lists in one another. */
	depth: 64,
	tasks: 10_000,
	/** Targets of all transitions. */
	edges: 50_000,
	/** Characters in the name of a task: what the children of a run are called begins with it. */
	taskName: 128,
	/** Findings that are told. */
	findings: 1000,
} as const;
