import type { Mutant } from "./mutant.ts";

/** Mechanisms by which only the node that holds a run writes about it. */
export const leaseMutants: readonly Mutant[] = [
	{
		name: "fence-of-kept-state",
		promise: "A node that has lost its lease does not overwrite the state of a run that another node goes on with.",
		file: "core/kernel/runs/run-records.ts",
		text: 'return { update: "execution", id, patch: toStatePatch(kept), expected: { fence: run.fence } };',
		replacement: 'return { update: "execution", id, patch: toStatePatch(kept) };',
		tests: ["core/kernel/runs/journal.test.ts"],
	},
];
