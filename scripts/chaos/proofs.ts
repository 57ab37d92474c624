import type { FaultName } from "./faults.ts";
import type { Violation } from "./oracle.ts";
import { type ChaosOptions, runChaos } from "./run-chaos.ts";

/** A mechanism without which a promise must break; otherwise a run that keeps every promise proves nothing. */
export interface Proof {
	/** As a sentence: the mechanism that is missing, and what happens then. */
	readonly name: string;
	/** The promise that must break. */
	readonly promise: Violation["promise"];
	readonly without: ChaosOptions["without"];
	readonly faults: readonly FaultName[];
	readonly seconds: number;
	readonly roles?: ChaosOptions["roles"];
	/** Probability with which the bus loses an event. Default 0.3. */
	readonly busLoss?: number;
}

export const proofs: readonly Proof[] = [
	{ name: "without the sweep the runs of a dead node never end", promise: "ends", without: ["sweep"], faults: ["kill"], seconds: 6 },
	{
		name: "without compare-and-set a node that was frozen changes final states",
		promise: "final",
		without: ["compare-and-set"],
		faults: ["freeze"],
		seconds: 10,
	},
	{
		name: "without claims that exclude each other executions are started twice",
		promise: "once",
		without: ["claim", "compare-and-set"],
		faults: [],
		seconds: 6,
	},
	{
		name: "without the storage's time a clock that is set ends the runs of other nodes",
		promise: "alive",
		without: ["time"],
		faults: ["clock"],
		seconds: 12,
	},
	{
		name: "without retries an outage of the database ends runs",
		promise: "alive",
		without: ["retry"],
		faults: ["database", "connections"],
		seconds: 6,
	},
	{
		name: "without polling, executions whose announcement the bus loses wait forever",
		promise: "ends",
		without: ["poll"],
		faults: [],
		seconds: 6,
		roles: "split",
		busLoss: 1,
	},
];

/** Runs the nodes without the mechanism, with leases of 1.5 s; returns the promises that were broken. */
function runWithout(
	{ without, faults, seconds, roles = "all", busLoss = 0.3 }: Proof,
	options: Pick<ChaosOptions, "seed" | "print" | "signal">,
): Promise<readonly Violation[]> {
	const limits = { interval: 1.5, lease: 1.5, patience: 10 };
	return runChaos({ ...options, ...limits, bus: "postgres", inFlight: 12, without, faults, seconds, roles, busLoss });
}

/** Runs every proof; returns the names of those whose promise was kept although the mechanism was missing. */
export async function findUnnoticed(options: Pick<ChaosOptions, "seed" | "print" | "signal">): Promise<readonly string[]> {
	const unnoticed: string[] = [];
	for (const proof of proofs) {
		const violations = await runWithout(proof, options);
		const isNoticed = violations.some(({ promise }) => promise === proof.promise);
		options.print(`${isNoticed ? "noticed  " : "UNNOTICED"} ${proof.name}`);
		if (!isNoticed) unnoticed.push(proof.name);
	}
	return unnoticed;
}
