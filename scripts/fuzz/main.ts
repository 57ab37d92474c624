import { parseArgs } from "node:util";
import { describe } from "./describe.ts";
import { findPlanted, type Proof, proofs } from "./proofs.ts";
import { runFuzz } from "./run-fuzz.ts";

// Requests at random against a service process on SQLite: `npm run fuzz [-- --seed N] [--minutes M] [--requests N] [--seeds N]`.
// With `--prove` faults are planted in the service, one at a time, and each must be found.
// CONTRIBUTING.md says what it looks for.
const { values } = parseArgs({
	options: {
		/** Makes the same requests again. */
		seed: { type: "string" },
		minutes: { type: "string", default: "10" },
		/** Requests of each seed; after them the service is started again on the same database. */
		requests: { type: "string", default: "3000" },
		/** Ends with as many findings. */
		most: { type: "string", default: "20" },
		/** Faults to plant, to see them found. */
		planted: { type: "string", default: "" },
		/** Plants each fault in its turn, and fails if one is not found. */
		prove: { type: "boolean", default: false },
	},
});

const print = (line: string) => void process.stdout.write(`${line}\n`);
process.exitCode = (values.prove ? await prove() : await search()) ? 0 : 1;

/** Plants each fault; returns whether all were found. */
async function prove(): Promise<boolean> {
	let unnoticed = 0;
	for (const proof of Object.values<Proof>(proofs)) {
		const finding = await findPlanted(proof, print);
		const isFound = finding !== undefined && proof.isFound(finding);
		print(`${isFound ? "noticed  " : "UNNOTICED"} ${proof.planted}: ${proof.name}`);
		if (isFound) continue;
		if (finding !== undefined) print(describe(finding));
		unnoticed += 1;
	}
	return unnoticed === 0;
}

/** Takes one seed after another until the time is over; returns whether nothing was found. */
async function search(): Promise<boolean> {
	const until = performance.now() + Number(values.minutes) * 60_000;
	let seed = Number(values.seed ?? Date.now() % 1_000_000);
	let found = 0;
	do {
		print(`seed ${seed}`);
		const seconds = (until - performance.now()) / 1_000;
		const limits = { requests: Number(values.requests), seconds, shrinkSeconds: 120, most: Number(values.most) - found };
		const findings = await runFuzz({ seed, ...limits, planted: values.planted, print });
		for (const finding of findings) print(describe(finding));
		found += findings.length;
		seed += 1;
	} while (performance.now() < until && found < Number(values.most));
	print(found === 0 ? "nothing was found" : `${found} findings`);
	return found === 0;
}
