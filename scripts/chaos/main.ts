import { parseArgs } from "node:util";
import { createOptions } from "../../core/testing/service-options.ts";
import { engineNames } from "./engines/engines.ts";
import { findUnnoticedRunners } from "./engines/proofs.ts";
import { runEngineChaos } from "./engines/run-engines.ts";
import { faultNames } from "./faults.ts";
import { findUnnoticed } from "./proofs.ts";
import { runChaos } from "./run-chaos.ts";
import { mechanisms } from "./weakened-storage.ts";

// Three nodes on PostgreSQL under load, with kills, frozen nodes, outages of the database, holes in the network, clocks that are set and a
// bus that loses events: `npm run chaos [-- --short] [--seconds N] [--seed N] [--bus postgres|nats] [--faults kill,freeze,…] [--roles
// all|split] [--without sweep,…] [--logs <directory>]`. docs/guides/high-availability.md says what it proves. With `--engines all`, or some
// of podman, docker, slurm, kubernetes, worker and ssh, one service whose runs go to engines that die, are cut off and lose jobs: `npm run
// chaos -- --engines all [--short] [--seconds N] [--seed N]`. With `--prove` mechanisms are taken out, one at a time: each time the promise
// that the mechanism keeps must break.
const { values } = parseArgs({
	options: {
		/** Under a minute. */
		short: { type: "boolean", default: false },
		seconds: { type: "string" },
		seed: { type: "string" },
		engines: { type: "string" },
		bus: { type: "string", default: "postgres" },
		faults: { type: "string", default: faultNames.join(",") },
		roles: { type: "string", default: "all" },
		/** Directory for the logs of the nodes. */
		logs: { type: "string" },
		/** Take mechanisms out, to see promises broken. */
		without: { type: "string", default: "" },
		/** Takes each mechanism out in its turn, and fails if its promise is kept all the same. */
		prove: { type: "boolean", default: false },
	},
});

interface Broken {
	readonly promise: string;
	readonly detail: string;
}

const ending = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => ending.abort(signal));

const seed = Number(values.seed ?? Date.now() % 1_000_000);
const print = (line: string) => void process.stdout.write(`${line}\n`);
print(`seed ${seed}`);
const seconds = Number(values.seconds ?? (values.short ? 25 : 600));
const broken = await (values.prove ? prove() : breakPromises()).catch((error: unknown) => {
	if (!ending.signal.aborted) throw error;
	print(`ended by ${String(ending.signal.reason)}`);
	process.exit(130);
});
process.exitCode = broken === 0 ? 0 : 1;

/** Returns how many promises were broken. */
async function breakPromises(): Promise<number> {
	const violations = await (values.engines === undefined ? breakNodes() : breakEngines(values.engines));
	for (const { promise, detail } of violations.slice(0, 50)) print(`BROKEN ${promise}: ${detail}`);
	print(violations.length === 0 ? "every promise was kept" : `${violations.length} promises were broken`);
	return violations.length;
}

/** Returns how many promises were kept although their mechanism was missing. */
async function prove(): Promise<number> {
	const unnoticed =
		values.engines === undefined ? await findUnnoticed({ seed, print, signal: ending.signal }) : await findUnnoticedRunners(print);
	if (values.engines !== undefined) for (const name of unnoticed) print(`UNNOTICED ${name}`);
	print(unnoticed.length === 0 ? "every missing mechanism was noticed" : `${unnoticed.length} missing mechanisms were not noticed`);
	return unnoticed.length;
}

function breakNodes(): Promise<readonly Broken[]> {
	return runChaos({
		seed,
		seconds,
		faults: oneOf("faults", values.faults, faultNames),
		interval: values.short ? 2 : 4,
		lease: values.short ? 3 : createOptions().scheduler.lease,
		busLoss: 0.3,
		inFlight: 12,
		bus: oneOf("bus", values.bus, ["postgres", "nats"] as const)[0] ?? "postgres",
		roles: oneOf("roles", values.roles, ["all", "split"] as const)[0] ?? "all",
		without: oneOf("without", values.without, [...mechanisms, "poll"] as const),
		...(values.logs !== undefined && { logs: values.logs }),
		print,
		signal: ending.signal,
	});
}

function breakEngines(text: string): Promise<readonly Broken[]> {
	const engines = text === "all" ? engineNames : oneOf("engines", text, engineNames);
	let deadline: number | undefined;
	// From the first round on: engines take a while to start.
	const goesOn = () => {
		deadline ??= performance.now() + seconds * 1_000;
		return performance.now() < deadline;
	};
	return runEngineChaos({ seed, engines, goesOn, most: 3, patience: 120, print, signal: ending.signal });
}

function oneOf<T extends string>(option: string, text: string, allowed: readonly T[]): T[] {
	const words = text.split(",").filter((word) => word !== "");
	const unknown = words.find((word) => !allowed.includes(word as T));
	if (unknown !== undefined) throw new Error(`--${option}: "${unknown}" is unknown; allowed are ${allowed.join(", ")}`);
	return words as T[];
}
