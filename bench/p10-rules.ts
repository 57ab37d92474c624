import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Benchmark } from "./harness/benchmark.ts";
import { runChild } from "./harness/child.ts";

const many = 10_000;
const few = 10;

export const benchmark: Benchmark = {
	id: "P10",
	title: `finding the rules of a trigger and deciding their criteria for one event, ${many} enabled rules stored`,
	goals: [
		{ name: "ratio", label: `${few} of them on the trigger ÷ no other rules than these ${few}`, direction: "at most", limits: [2] },
		{ name: "change", label: "the same for the first event after a rule has changed", direction: "at most", limits: [] },
		{ name: "all", label: "all on the trigger", unit: "ms", direction: "at most", limits: [] },
		{ name: "allChange", label: "all on the trigger, first event after a rule has changed", unit: "ms", direction: "at most", limits: [] },
	],
	async run({ quick, alternate }) {
		const often = quick ? { events: 5_000, changes: 100 } : { events: 100_000, changes: 2_000 };
		const [crowded, empty] = await alternate(
			() => measureMatching({ wanted: few, others: many - few, ...often }),
			() => measureMatching({ wanted: few, others: 0, ...often }),
		);
		const all = await measureMatching({ wanted: many, others: 0, events: often.events / 500, changes: often.changes / 100 });
		return {
			values: {
				ratio: crowded.event / empty.event,
				change: crowded.afterChange / empty.afterChange,
				all: all.event,
				allChange: all.afterChange,
			},
			detail:
				`${toMicroseconds(crowded.event)} ÷ ${toMicroseconds(empty.event)}; ` +
				`after a change ${toMicroseconds(crowded.afterChange)} ÷ ${toMicroseconds(empty.afterChange)}; ` +
				`all on the trigger ${all.event.toFixed(1)} ms, after a change ${all.afterChange.toFixed(0)} ms`,
		};
	},
};

interface Matching {
	/** Rules on the trigger. */
	readonly wanted: number;
	/** Rules on triggers with ten rules each. */
	readonly others: number;
	readonly events: number;
	readonly changes: number;
}

/** Milliseconds of processor time: load of others does not lengthen it as it does the time that passes. */
interface MatchingTime {
	readonly event: number;
	readonly afterChange: number;
}

async function measureMatching(matching: Matching): Promise<MatchingTime> {
	const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
	try {
		return (await runChild("match-rules.mjs", { input: { dataDirectory: directory, ...matching } })) as MatchingTime;
	} finally {
		await rm(directory, { recursive: true, force: true });
	}
}

function toMicroseconds(milliseconds: number): string {
	return `${(milliseconds * 1000).toFixed(1)} µs`;
}
